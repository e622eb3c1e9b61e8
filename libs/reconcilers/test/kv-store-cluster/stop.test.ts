import { statefulSets } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { images, storeNow } from './kv-store-world.ts';
import { annotate, change, condition, jobsFor, ready, until } from './store-steps.ts';

const phase = (cluster: SimulatedCluster): string | undefined => storeNow(cluster)?.status?.phase;

const set = (cluster: SimulatedCluster) => cluster.client()(statefulSets).namespace('default');

/** A cluster whose upgrade to 2.0 has failed because the Job before it says no, and stands. */
async function stopped(onFailure: 'Stop' | 'Rollback'): Promise<SimulatedCluster> {
  const beforeFirstPod = { command: ['migrate'], image: 'example.com/migrate:no', retries: 0 };
  const cluster = await ready({ upgrade: { onFailure, beforeFirstPod } });
  cluster.image('example.com/migrate:no', { run: () => 1 });
  await change(cluster, { version: '2.0' });
  await until(cluster, () => phase(cluster) === 'Failed');
  return cluster;
}

describe('an upgrade that has failed and stands', () => {
  test.each(['Background', 'Orphan'] as const)(
    'has no member follow when its StatefulSet is deleted (%s)',
    async (propagationPolicy) => {
      const cluster = await stopped('Stop');
      await set(cluster).delete('orders', { propagationPolicy });
      await cluster.advance(1_200_000);
      expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
      expect(storeNow(cluster)?.status).toMatchObject({ phase: 'Failed', currentVersion: '1.0', readyReplicas: 3 });
      cluster.stop();
    },
  );

  // Found by the search (seed 331858366): it was ready, and Failed.
  test('is over when all members run it after all', async () => {
    const cluster = await ready({ replicas: 1, upgrade: { onFailure: 'Stop', progressDeadline: '5m' } });
    cluster.image('my-repo/kvstore:slow', { startsIn: 600_000 });
    await change(cluster, { version: 'slow' });
    await until(cluster, () => phase(cluster) === 'Failed');
    await until(cluster, () => phase(cluster) !== 'Failed');
    await cluster.advance(60_000);
    expect(storeNow(cluster)?.status).toMatchObject({ phase: 'Ready', currentVersion: 'slow', readyReplicas: 1 });
    expect(storeNow(cluster)?.status).not.toHaveProperty('failedRevision');
    expect(condition(cluster, 'Degraded')?.status).toBe('False');
    cluster.stop();
  });

  test('holds a rolling update that was aborted in the middle, also when the partition is taken away', async () => {
    const cluster = await ready({ upgrade: { onFailure: 'Stop' } });
    await change(cluster, { version: '2.0' });
    await until(cluster, () => images(cluster).includes('2.0'));
    await annotate(cluster, { 'ordinal.dev/abort': '2.0' });
    await until(cluster, () => phase(cluster) === 'Failed');
    await cluster.advance(600_000);
    expect(images(cluster)).toEqual(['1.0', '1.0', '2.0']);
    const body = { spec: { updateStrategy: { rollingUpdate: { partition: 2 } } } };
    expect(cluster.objects.find(statefulSets, 'default', 'orders')).toMatchObject(body);
    await set(cluster).patch('orders', {
      type: 'merge',
      body: { spec: { updateStrategy: { rollingUpdate: { partition: 3 } } } },
    });
    await cluster.advance(60_000);
    expect(cluster.objects.find(statefulSets, 'default', 'orders')).toMatchObject(body);
    expect(storeNow(cluster)?.status).toMatchObject({ phase: 'Failed', currentVersion: '1.0' });
    cluster.stop();
  });
});

test('the Job before the first member runs again for an upgrade that is asked for again', async () => {
  const cluster = await stopped('Rollback');
  expect(jobsFor(cluster, 'BeforeUpgrade')).toHaveLength(1);
  await change(cluster, { version: '1.0' });
  await until(cluster, () => phase(cluster) === 'Ready');
  cluster.image('example.com/migrate:no', { run: () => 0 });
  await cluster.advance(60_000);
  await change(cluster, { version: '2.0' });
  await until(cluster, () => storeNow(cluster)?.status?.currentVersion === '2.0' || phase(cluster) === 'Failed');
  expect(images(cluster)).toEqual(['2.0', '2.0', '2.0']);
  cluster.stop();
});

test('no member is taken away before its Job, also when the StatefulSet is deleted meanwhile and leaves its pods', async () => {
  const cluster = await ready({ scaleDown: { before: { command: ['move'], image: 'example.com/job:slow' } } });
  cluster.image('example.com/job:slow', { startsIn: 120_000, run: () => 0 });
  await change(cluster, { replicas: 2 });
  await until(cluster, () => jobsFor(cluster, 'BeforeScaleDown').length === 1);
  await set(cluster).delete('orders', { propagationPolicy: 'Orphan' });
  await cluster.advance(90_000);
  expect(images(cluster)).toHaveLength(3);
  await until(cluster, () => images(cluster).length === 2);
  expect(jobsFor(cluster, 'BeforeScaleDown').map(({ status }) => status?.succeeded)).toEqual([1]);
  cluster.stop();
});
