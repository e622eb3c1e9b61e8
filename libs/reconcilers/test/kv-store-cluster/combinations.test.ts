import { jobs, pods, statefulSets } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { images, kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';
import { annotate, change, claims, condition, jobsFor, ready, stores, until } from './store-steps.ts';

const canary = { upgradeStrategy: 'Canary', canary: { promotion: 'Manual' } } as const;

const step = (cluster: SimulatedCluster): string | undefined => storeNow(cluster)?.status?.upgrade?.step;

async function awaitsPromotion(spec: Parameters<typeof store>[0] = {}): Promise<SimulatedCluster> {
  const cluster = await ready({ ...canary, ...spec });
  await change(cluster, { version: '2.0' });
  await until(cluster, () => step(cluster) === 'AwaitingPromotion');
  return cluster;
}

const partition = (cluster: SimulatedCluster): number | undefined =>
  cluster.objects.find(statefulSets, 'default', 'orders')?.spec?.updateStrategy?.rollingUpdate?.partition;

describe('an upgrade that waits for its promotion', () => {
  test('is aborted in the middle of the promotion, and every member comes back', async () => {
    const cluster = await awaitsPromotion();
    await annotate(cluster, { 'ordinal.dev/promote': '2.0' });
    await until(cluster, () => images(cluster)[1] === '2.0');
    await annotate(cluster, { 'ordinal.dev/abort': '2.0' });
    expect(await untilPhase(cluster, 'Failed')).toBe('Failed');
    await cluster.settle();
    expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
    expect(storeNow(cluster)?.status?.failure?.reason).toBe('Aborted');
    expect(partition(cluster)).toBe(0);
    cluster.stop();
  });

  test('goes on as it should when both annotations stand there from an earlier upgrade', async () => {
    const cluster = await awaitsPromotion();
    await annotate(cluster, { 'ordinal.dev/promote': '1.5', 'ordinal.dev/abort': '1.5' });
    await cluster.advance(600_000);
    expect(step(cluster)).toBe('AwaitingPromotion');
    cluster.stop();
  });

  test('keeps one canary when the cluster grows, and judges no member by the old count', async () => {
    const cluster = await awaitsPromotion();
    await change(cluster, { replicas: 5 });
    await until(cluster, () => images(cluster).length === 5 && storeNow(cluster)?.status?.readyReplicas === 5);
    await until(cluster, () => step(cluster) === 'AwaitingPromotion');
    expect(images(cluster).slice(0, 2)).toEqual(['1.0', '1.0']);
    expect(images(cluster)[4]).toBe('2.0');
    await annotate(cluster, { 'ordinal.dev/promote': '2.0' });
    expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
    expect(images(cluster)).toEqual(Array(5).fill('2.0'));
    cluster.stop();
  });

  test('has another canary when the cluster shrinks and the canary goes', async () => {
    const cluster = await awaitsPromotion();
    await change(cluster, { replicas: 2 });
    await until(cluster, () => images(cluster).length === 2 && images(cluster)[1] === '2.0');
    await until(cluster, () => step(cluster) === 'AwaitingPromotion');
    expect(images(cluster)).toEqual(['1.0', '2.0']);
    await annotate(cluster, { 'ordinal.dev/promote': '2.0' });
    expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
    expect(images(cluster)).toEqual(['2.0', '2.0']);
    cluster.stop();
  });

  test('goes on when its canary’s node is lost for a while, and no member follows meanwhile', async () => {
    const cluster = await awaitsPromotion();
    const pod = cluster.objects.find(pods, 'default', 'orders-2');
    const node = cluster.node(pod?.spec.nodeName ?? '');
    node.fail('partition');
    await until(cluster, () => storeNow(cluster)?.status?.readyReplicas === 2);
    await annotate(cluster, { 'ordinal.dev/promote': '2.0' });
    await cluster.advance(120_000);
    expect(images(cluster).slice(0, 2)).toEqual(['1.0', '1.0']);
    node.recover();
    expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
    expect(images(cluster)).toEqual(['2.0', '2.0', '2.0']);
    cluster.stop();
  });

  test('fails at its deadline when its canary’s node is lost for good', async () => {
    const cluster = await ready({ ...canary, canary: { bake: '10m' }, upgrade: { progressDeadline: '5m' } });
    await change(cluster, { version: '2.0' });
    await until(cluster, () => step(cluster) === 'Baking');
    const pod = cluster.objects.find(pods, 'default', 'orders-2');
    cluster.node(pod?.spec.nodeName ?? '').fail('partition');
    expect(await untilPhase(cluster, 'Failed')).toBe('Failed');
    expect(storeNow(cluster)?.status?.failure).toMatchObject({ reason: 'ProgressDeadlineExceeded' });
    expect(storeNow(cluster)?.status?.failure?.message).toContain('orders-2');
    expect(images(cluster).slice(0, 2)).toEqual(['1.0', '1.0']);
    cluster.stop();
  });
});

test('a rolling update during which the cluster is scaled ends with every member on the new version', async () => {
  const cluster = await ready();
  await change(cluster, { version: '2.0' });
  await until(cluster, () => images(cluster)[2] === '2.0');
  await change(cluster, { replicas: 4 });
  await until(cluster, () => images(cluster).length === 4);
  await change(cluster, { replicas: 2 });
  await until(cluster, () => images(cluster).length === 2 && storeNow(cluster)?.status?.currentVersion === '2.0');
  expect(images(cluster)).toEqual(['2.0', '2.0']);
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  cluster.stop();
});

test('a cluster that is to begin with a backup that does not exist says so, starts no member, and is tried again with another Job', async () => {
  const { cluster } = await kvStoreWorld();
  const image = 'example.com/restore:1';
  let there = false;
  cluster.image(image, {
    run: (process) => {
      if (there) return 0;
      process.log(`no backup ${process.env['ORDINAL_BACKUP_NAME'] ?? ''}`);
      return 1;
    },
  });
  const job = { command: ['restore'], image, retries: 0 };
  await stores(cluster).create(store({ restoreFrom: { backup: 'sunday', job } }));
  await until(cluster, () => condition(cluster, 'Degraded')?.status === 'True');
  expect(condition(cluster, 'Degraded')?.message).toContain('no backup sunday');
  expect(storeNow(cluster)?.status?.phase).toBe('Failed');
  await cluster.advance(600_000);
  expect(images(cluster)).toEqual([]);
  there = true;
  await change(cluster, { restoreFrom: { job: { ...job, retries: 1 } } });
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  expect(jobsFor(cluster, 'Restore')).toHaveLength(2);
  cluster.stop();
});

test('a cluster whose restore has failed can be deleted', async () => {
  const { cluster } = await kvStoreWorld();
  const image = 'example.com/restore:no';
  cluster.image(image, { run: () => 1 });
  const job = { command: ['restore'], image, retries: 0 };
  const backup = { job: { command: ['backup'] } };
  await stores(cluster).create(store({ restoreFrom: { backup: 'sunday', job }, backup, deletionPolicy: 'Delete' }));
  await until(cluster, () => condition(cluster, 'Degraded')?.status === 'True');
  await stores(cluster).delete('orders');
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(storeNow(cluster)).toBeUndefined();
  expect(claims(cluster)).toEqual([]);
  expect(cluster.objects.list(jobs, 'default')).toEqual([]);
  cluster.stop();
});

describe('the claims of members that are taken away', () => {
  test.each([
    ['stay by default', undefined, 3],
    ['stay where they shall', 'Retain', 3],
    ['go where they shall', 'Delete', 1],
  ] as const)('%s', async (_what, policy, left) => {
    const cluster = await ready(policy === undefined ? {} : { scaleDown: { claims: policy } });
    await change(cluster, { replicas: 1 });
    await cluster.settle();
    expect(images(cluster)).toHaveLength(1);
    expect(claims(cluster)).toHaveLength(left);
    cluster.stop();
  });
});
