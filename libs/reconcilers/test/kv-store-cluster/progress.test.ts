import type { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import type { store } from './kv-store-world.ts';
import { images, storeNow } from './kv-store-world.ts';
import { change, ready, until } from './store-steps.ts';

/** The messages of upgrades that fail, from now on. */
function failuresOf(cluster: SimulatedCluster): ReadonlySet<string> {
  const failures = new Set<string>();
  cluster.server.store.subscribe(() => {
    const { failure } = storeNow(cluster)?.status ?? {};
    if (failure) failures.add(failure.message);
  });
  return failures;
}

/** An upgrade of six whose members take two of the three minutes that each has. */
async function upgraded(spec: Parameters<typeof store>[0] = {}): Promise<SimulatedCluster> {
  const cluster = await ready({ replicas: 6, upgrade: { progressDeadline: '3m' }, ...spec });
  cluster.image('my-repo/kvstore:2.0', { startsIn: 120_000, run: () => new Promise<number>(() => undefined) });
  await change(cluster, { version: '2.0' });
  return cluster;
}

// Found by a second reader: members that had left for good were counted, and whoever came back after them was no progress.
test('each member that comes back puts the deadline of an upgrade off, also after those that came first were taken away', async () => {
  const cluster = await upgraded();
  const failures = failuresOf(cluster);
  await until(cluster, () => storeNow(cluster)?.status?.upgrade?.updated === 3);
  await change(cluster, { replicas: 3 });
  await until(cluster, () => ['Ready', 'Failed'].includes(storeNow(cluster)?.status?.phase ?? ''));
  expect([...failures]).toEqual([]);
  expect(storeNow(cluster)?.status).toMatchObject({ phase: 'Ready', currentVersion: '2.0' });
  cluster.stop();
});

test('a member that is to leave puts it off as well when it comes back, while the Job before that is at work', async () => {
  const image = 'example.com/drain:slow';
  const cluster = await upgraded({ scaleDown: { before: { command: ['drain'], image, deadline: '8h' } } });
  cluster.image(image, { run: () => new Promise<number>(() => undefined) });
  const failures = failuresOf(cluster);
  await change(cluster, { replicas: 3 });
  await until(cluster, () => storeNow(cluster)?.status?.currentVersion === '2.0' || failures.size > 0);
  expect([...failures]).toEqual([]);
  expect(images(cluster)).toEqual(['2.0', '2.0', '2.0', '2.0', '2.0', '2.0']);
  cluster.stop();
});
