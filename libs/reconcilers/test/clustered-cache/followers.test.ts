import { openGatesAnnotation } from '../../src/annotations.ts';
import { expect, test } from 'vitest';
import {
  cache,
  cacheNow,
  caches,
  cacheWorld,
  change,
  condition,
  images,
  isSettled,
  members,
  reaches,
} from './cache-world.ts';

test('a leader from which no member takes over: what blocks it and the command are shown, and the override frees the member and its name', async () => {
  const { cluster } = await cacheWorld();
  const http = ({ url }: { readonly url: URL }, { pod }: { readonly pod: string }) =>
    url.pathname === '/role' ? { status: 200, body: pod === 'sessions-2' ? 'master' : 'replica' } : 200;
  for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2000, http });
  const role = { leaderValue: 'master', http: { path: '/role' } };
  const upgrade = { gates: [], order: 'LeaderLast', role, handoff: { http: { path: '/handoff' } } } as const;
  await caches(cluster).create(cache({ upgrade: { ...upgrade, gates: [] } }));
  expect(await reaches(cluster, () => isSettled(cluster))).toBe(true);
  await change(cluster, { image: 'cache:2' });
  const isLeaderNext = (): boolean =>
    images(cluster).join() === 'cache:2,cache:2,cache:1' && cacheNow(cluster)?.status?.upgrade?.step === 'HandingOff';
  expect(await reaches(cluster, isLeaderNext)).toBe(true);
  await cluster.advance(60_000);
  const uid = members(cluster)[2]?.metadata.uid ?? '';
  expect(cacheNow(cluster)?.status?.upgrade).toMatchObject({
    step: 'HandingOff',
    message: 'sessions-2 has handed over, and leads all the same',
    blockedBy: 'role: sessions-2: role master',
    release: `kubectl annotate -n default clusteredcache sessions ordinal.dev/open-gates=${uid} --overwrite`,
  });
  expect(condition(cluster, 'Progressing')?.message).toContain('role: sessions-2: role master');
  const from = cluster.clock.now();
  await caches(cluster).patch('sessions', {
    type: 'merge',
    body: { metadata: { annotations: { [openGatesAnnotation]: uid } } },
  });
  expect(await reaches(cluster, () => isSettled(cluster) && images(cluster)[2] === 'cache:2')).toBe(true);
  expect(cluster.clock.now() - from).toBeLessThan(90_000);
  cluster.stop();
});
