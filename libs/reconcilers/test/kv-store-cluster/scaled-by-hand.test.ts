import { statefulSets } from '@ordinal/client';
import { expect, test } from 'vitest';
import { images, kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';
import { change, condition, jobsFor, stores, until } from './store-steps.ts';

// Found by using it: two members were gone, and nothing said so.
test('a reduction that waits for its Job is put back where another client makes the StatefulSet smaller', async () => {
  const { cluster, events } = await kvStoreWorld();
  cluster.image('example.com/move:slow', { startsIn: 600_000, run: () => 0 });
  const before = { command: ['move'], image: 'example.com/move:slow', deadline: '6h' };
  await stores(cluster).create(store({ scaleDown: { before } }));
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  await change(cluster, { replicas: 1 });
  await until(cluster, () => jobsFor(cluster, 'BeforeScaleDown').length === 1);
  await cluster.client()(statefulSets).namespace('default').scale.update('orders', 1);
  await cluster.advance(120_000);
  expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
  expect(storeNow(cluster)?.status?.readyReplicas).toBe(3);
  expect(condition(cluster, 'Scaled')).toMatchObject({ status: 'False', reason: 'WaitingForHook' });
  const bypasses = events.filter(({ reason }) => reason === 'GateBypassed');
  expect(bypasses.map(({ note }) => note)).toEqual([
    'another client has made the StatefulSet smaller, to 1, before the Job of the reduction has succeeded: orders-1 and those after it come back',
  ]);
  await until(cluster, () => images(cluster).length === 1);
  expect(jobsFor(cluster, 'BeforeScaleDown')).toHaveLength(1);
  cluster.stop();
});
