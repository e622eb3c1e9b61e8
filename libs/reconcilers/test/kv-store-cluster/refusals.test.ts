import { pods } from '@ordinal/client';
import { expect, test } from 'vitest';
import { refuse } from '../writes/refuse.ts';
import { images, storeNow } from './kv-store-world.ts';
import { annotate, change, ready, until } from './store-steps.ts';

const canary = { upgradeStrategy: 'Canary', port: 6379 } as const;

test('a backup whose Job can’t be made holds up no upgrade, no way back and no growth', async () => {
  const judged = { analysis: { http: { path: '/good' } } };
  const cluster = await ready({ ...canary, canary: judged, backup: { job: { command: ['backup'] } } });
  refuse(cluster, ({ verb, resource: { plural } }) => verb === 'create' && plural === 'jobs');
  await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
  await cluster.advance(60_000);
  await change(cluster, { version: 'bad' });
  await until(cluster, () => storeNow(cluster)?.status?.failure !== undefined);
  await cluster.advance(60_000);
  expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
  await change(cluster, { version: '2.0', replicas: 4 });
  await cluster.advance(600_000);
  expect(images(cluster)).toEqual(['2.0', '2.0', '2.0', '2.0']);
  expect(storeNow(cluster)?.status?.processingError?.reason).toBe('Refused');
  cluster.stop();
});

test('a canary is asked in time although volumes can’t grow for hours', async () => {
  const judged = { analysis: { http: { path: '/good' }, failureThreshold: 30 } };
  const cluster = await ready({ ...canary, canary: judged });
  refuse(cluster, ({ verb, resource: { plural } }) => verb === 'patch' && plural === 'persistentvolumeclaims');
  await change(cluster, { storage: { size: '20Gi' } });
  await cluster.advance(7_200_000);
  const isWarm = (pod: string): boolean => {
    const { creationTimestamp = '' } = cluster.objects.find(pods, 'default', pod)?.metadata ?? {};
    return cluster.clock.now() - Date.parse(creationTimestamp) > 90_000;
  };
  cluster.image('my-repo/kvstore:2.0', {
    ...{ startsIn: 2000, run: () => new Promise<number>(() => undefined) },
    http: (_request, { pod }) => (isWarm(pod) ? 200 : 503),
  });
  await change(cluster, { version: '2.0' });
  await cluster.advance(900_000);
  expect([images(cluster), storeNow(cluster)?.status?.failure]).toEqual([['2.0', '2.0', '2.0'], undefined]);
  cluster.stop();
});
