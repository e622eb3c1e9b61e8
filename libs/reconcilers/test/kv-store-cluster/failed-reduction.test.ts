import { expect, test } from 'vitest';
import { kvStoreClusterMetrics } from '../../src/kv-store-cluster/index.ts';
import { failing, images, kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';
import { jobHasFailed } from './cluster-states.ts';
import { annotate, change, condition, stores, until } from './store-steps.ts';

test('a reduction whose Job has failed says so in phase, conditions, event and metric', async () => {
  const { cluster, events } = await kvStoreWorld();
  await stores(cluster).create(store({ scaleDown: { before: { command: ['move'], retries: 0 } } }));
  await untilPhase(cluster, 'Ready');
  failing.set(cluster, 'move');
  await change(cluster, { replicas: 2 });
  await until(cluster, () => jobHasFailed(cluster, 'BeforeScaleDown'));
  await cluster.advance(60_000);
  expect(images(cluster)).toHaveLength(3);
  expect(storeNow(cluster)?.status?.phase).toBe('Failed');
  const reason = 'ScaleDownFailed';
  expect(condition(cluster, 'Ready')).toMatchObject({ status: 'False', reason });
  expect(condition(cluster, 'Progressing')).toMatchObject({ status: 'False', reason });
  expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'True', reason });
  expect(condition(cluster, 'Scaled')).toMatchObject({ status: 'False', reason });
  expect(condition(cluster, 'Available')).toMatchObject({ status: 'True' });
  const reported = () => events.filter((event) => event.reason === 'ScaleDownFailed');
  const atOnce = reported().filter(({ atMostEveryMs }) => atMostEveryMs === undefined);
  expect(atOnce).toHaveLength(1);
  expect(reported()[0]).toMatchObject({ type: 'Warning' });
  const gauge = () => {
    const now = storeNow(cluster);
    const samples = now ? kvStoreClusterMetrics([now], cluster.clock.now()) : [];
    return samples.find(({ name }) => name === 'ordinal_kvstorecluster_reduction_failed')?.value;
  };
  expect(gauge()).toBe(1);
  failing.delete(cluster);
  await annotate(cluster, { 'ordinal.dev/retry': '1' });
  await until(cluster, () => storeNow(cluster)?.status?.phase === 'Ready');
  expect(images(cluster)).toHaveLength(2);
  expect(gauge()).toBe(0);
  expect(events.filter((event) => event.reason === 'RetryRequested')).toHaveLength(1);
  cluster.stop();
});

test('a reduction that waits for its Job is not called an upgrade', async () => {
  const { cluster } = await kvStoreWorld();
  await stores(cluster).create(store({ scaleDown: { before: { command: ['linger'], deadline: '6h' } } }));
  await untilPhase(cluster, 'Ready');
  await change(cluster, { replicas: 2 });
  await cluster.advance(60_000);
  expect(condition(cluster, 'Progressing')).toMatchObject({ status: 'True', reason: 'WaitingForHook' });
  expect(condition(cluster, 'Ready')).toMatchObject({ status: 'False', reason: 'WaitingForHook' });
  expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'False' });
  cluster.stop();
});
