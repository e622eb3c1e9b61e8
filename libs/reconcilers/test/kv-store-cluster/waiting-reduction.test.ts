import type { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { images, storeNow } from './kv-store-world.ts';
import { change, condition, ready, until } from './store-steps.ts';

const forever = (): Promise<number> => new Promise<number>(() => undefined);

/** A cluster whose reductions wait for a Job that does not end. */
async function neverSmaller(spec: Parameters<typeof ready>[0] = {}): Promise<SimulatedCluster> {
  const before = { command: ['move'], image: 'example.com/move:slow', deadline: '6h' };
  const cluster = await ready({ scaleDown: { before }, ...spec });
  cluster.image('example.com/move:slow', { run: forever });
  return cluster;
}

// Found by a reader: it was rolled back.
test.each([
  ['Canary', 2, {}],
  ['Canary', 2, { port: 6379, canary: { analysis: { http: { path: '/good' } } } }],
  ['RollingUpdate', 1, {}],
] as const)(
  'an upgrade (%s) has succeeded where every member serves, while a reduction to %i waits for its Job',
  async (upgradeStrategy, replicas, spec) => {
    const cluster = await neverSmaller({ upgradeStrategy, ...spec });
    await change(cluster, { replicas, version: '2.0' });
    await cluster.advance(3_600_000);
    expect(images(cluster)).toEqual(['2.0', '2.0', '2.0']);
    expect(storeNow(cluster)?.status).toMatchObject({ currentVersion: '2.0', readyReplicas: 3, phase: 'Upgrading' });
    expect(storeNow(cluster)?.status?.upgrade).toBeUndefined();
    expect(condition(cluster, 'Scaled')).toMatchObject({ status: 'False', reason: 'WaitingForHook' });
    cluster.stop();
  },
);

// Found by a reader: two members ran it, and so it counted as complete while the third was away.
test('an upgrade is not complete while a member that stays is away, however many there are', async () => {
  const cluster = await neverSmaller();
  cluster.image('my-repo/kvstore:2.0', { startsIn: 2_000, ready: ({ pod }) => pod !== 'orders-0', run: forever });
  await change(cluster, { replicas: 2, version: '2.0' });
  await until(cluster, () => storeNow(cluster)?.status?.phase === 'Failed');
  await cluster.advance(60_000);
  expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
  expect(storeNow(cluster)?.status).toMatchObject({ currentVersion: '1.0', readyReplicas: 3, phase: 'Failed' });
  cluster.stop();
});

test('a pause holds nothing where every member that stays has been replaced', async () => {
  const cluster = await neverSmaller();
  await change(cluster, { replicas: 2, version: '2.0' });
  await until(cluster, () => images(cluster)[0] === '2.0');
  await change(cluster, { upgrade: { paused: true } });
  await until(cluster, () => storeNow(cluster)?.status?.currentVersion === '2.0');
  expect(storeNow(cluster)?.status?.upgrade).toBeUndefined();
  cluster.stop();
});
