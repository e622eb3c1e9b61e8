import type { ClusteredCacheInput } from '@ordinal/api';
import type { SimulatedReply, SimulatedRequest } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { cache, cacheNow, caches, cacheWorld, change, images, isSettled, reaches } from './cache-world.ts';

type Gate = NonNullable<NonNullable<ClusteredCacheInput['spec']['upgrade']>['gates']>[number];

const metric = { path: '/metrics', name: 'replication_lag', labels: { source: 'leader' }, max: '5' } as const;

// What each asks is tried here through everything: the spec, the reconcile, the request to the pod or to the API server, and the answer.
test.each<[string, Omit<Gate, 'name'>, string]>([
  ['a request to the pod', { http: { path: '/gate' } }, 'HTTP 503'],
  ['a request by way of the API server', { http: { path: '/gate', via: 'Proxy' } }, 'HTTP 503'],
  ['a command', { exec: { command: ['is-open'] } }, 'exit code 1'],
  ['a metric', { metric }, 'replication_lag is 120, at most 5 wanted'],
  ['a metric by way of the API server', { metric: { ...metric, via: 'Proxy' } }, 'replication_lag is 120, at most 5'],
])('no member is deleted while a gate says no by %s, and all are when it says yes', async (_how, gate, blockedBy) => {
  const { cluster, operator } = await cacheWorld();
  let isOpen = false;
  const http = ({ url }: SimulatedRequest): SimulatedReply => {
    if (url.pathname === '/gate') return isOpen ? 200 : 503;
    const lag = isOpen ? 1 : 120;
    return { status: 200, body: `replication_lag{source="other"} 7\nreplication_lag{source="leader"} ${lag}\n` };
  };
  const exec = () => ({ exitCode: isOpen ? 0 : 1 });
  for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2000, http, exec });
  await caches(cluster).create(cache({ upgrade: { gates: [{ name: 'asked', ...gate }] } }));
  await reaches(cluster, () => isSettled(cluster));
  await change(cluster, { image: 'cache:2' });
  await reaches(cluster, () => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingGate');
  await cluster.advance(120_000);
  expect(cacheNow(cluster)?.status?.upgrade?.blockedBy).toContain(blockedBy);
  expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:1']);
  expect(operator.externalCalls).toBeGreaterThan(6); // Two minutes, and every fault can strike at each.
  isOpen = true;
  expect(await reaches(cluster, () => isSettled(cluster) && images(cluster).join() === 'cache:2,cache:2,cache:2')).toBe(
    true,
  );
  cluster.stop();
});
