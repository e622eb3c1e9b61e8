import { kvStoreClusters } from '@ordinal/api';
import { jobs, persistentVolumeClaims, pods, statefulSets } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { images, kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';

const resource = (cluster: SimulatedCluster) => cluster.client()(kvStoreClusters).namespace('default');
const patch = (cluster: SimulatedCluster, body: object) => resource(cluster).patch('orders', { type: 'merge', body });
const change = (cluster: SimulatedCluster, spec: object) => patch(cluster, { spec });
const annotate = (cluster: SimulatedCluster, annotations: object) => patch(cluster, { metadata: { annotations } });
const claims = (cluster: SimulatedCluster) =>
  cluster.objects.list(persistentVolumeClaims, 'default').map(({ metadata }) => metadata.name);
const jobsFor = (cluster: SimulatedCluster, purpose: string) =>
  cluster.objects.list(jobs, 'default').filter(({ metadata }) => metadata.labels?.['ordinal.dev/purpose'] === purpose);
const until = (cluster: SimulatedCluster, condition: () => boolean) =>
  cluster.run({ until: condition, maxVirtualMs: 36_000_000 });

async function ready(spec: Parameters<typeof store>[0] = {}): Promise<SimulatedCluster> {
  const { cluster } = await kvStoreWorld();
  await resource(cluster).create(store(spec));
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  return cluster;
}

async function remove(cluster: SimulatedCluster, options: Parameters<ReturnType<typeof resource>['delete']>[1] = {}) {
  await resource(cluster).delete('orders', options);
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(storeNow(cluster)).toBeUndefined();
  await cluster.settle();
}

describe('the volumes', () => {
  test('of members that were taken away go with the cluster', async () => {
    const cluster = await ready({ deletionPolicy: 'Delete' });
    await change(cluster, { replicas: 2 });
    await until(cluster, () => images(cluster).length === 2);
    expect(claims(cluster)).toHaveLength(3);
    await remove(cluster);
    expect(claims(cluster)).toEqual([]);
    cluster.stop();
  });

  test('stay where the policy keeps them, also after a final backup', async () => {
    const cluster = await ready({ deletionPolicy: 'Retain', backup: { job: { command: ['backup'] } } });
    await remove(cluster);
    expect(claims(cluster)).toHaveLength(3);
    cluster.stop();
  });

  test('of an earlier cluster become those of the next only where its members use them', async () => {
    const cluster = await ready();
    await remove(cluster);
    await resource(cluster).create(store({ replicas: 1, deletionPolicy: 'Delete' }));
    expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
    await cluster.settle();
    await remove(cluster);
    expect(claims(cluster)).toEqual(['data-orders-1', 'data-orders-2']);
    cluster.stop();
  });

  test('are mounted by the final backup under a foreground cascade', async () => {
    const cluster = await ready({ backup: { job: { command: ['backup'] } } });
    await remove(cluster, { propagationPolicy: 'Foreground' });
    const [job] = jobsFor(cluster, 'FinalBackup');
    expect(job?.spec?.template.spec?.volumes?.map((volume) => volume.persistentVolumeClaim?.claimName)).toEqual([
      'data-orders-0',
      'data-orders-1',
      'data-orders-2',
    ]);
    cluster.stop();
  });
});

test('a cluster that became invalid can be deleted', async () => {
  const cluster = await ready();
  await change(cluster, { canary: { analysis: { http: { path: '/good' } } } });
  await cluster.settle();
  expect(storeNow(cluster)?.status?.conditions?.find(({ type }) => type === 'Ready')?.reason).toBe('InvalidSpec');
  await remove(cluster);
  cluster.stop();
});

describe('a canary', () => {
  const canary = { upgradeStrategy: 'Canary', port: 6379 } as const;
  const awaitsPromotion = (cluster: SimulatedCluster) =>
    until(cluster, () => storeNow(cluster)?.status?.upgrade?.step === 'AwaitingPromotion');

  test('whose Job fails is rolled back, with the partition', async () => {
    const cluster = await ready({
      ...canary,
      canary: { analysis: { job: { command: ['check'], image: 'example.com/check:no', retries: 0 } } },
    });
    cluster.image('example.com/check:no', { run: () => 1 });
    await change(cluster, { version: '2.0' });
    expect(await untilPhase(cluster, 'Failed')).toBe('Failed');
    await cluster.settle();
    expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
    expect(storeNow(cluster)?.status?.failure?.reason).toBe('AnalysisFailed');
    const set = cluster.objects.find(statefulSets, 'default', 'orders');
    expect(set?.spec?.updateStrategy?.rollingUpdate?.partition).toBe(0);
    cluster.stop();
  });

  test('that is replaced is judged again, as the pod that it is now', async () => {
    const cluster = await ready({
      ...canary,
      canary: { promotion: 'Manual', analysis: { job: { command: ['check'] } } },
    });
    await change(cluster, { version: '2.0' });
    await awaitsPromotion(cluster);
    expect(jobsFor(cluster, 'Analysis')).toHaveLength(1);
    await cluster.client()(pods).namespace('default').delete('orders-2', {});
    await cluster.settle();
    expect(jobsFor(cluster, 'Analysis')).toHaveLength(2);
    cluster.stop();
  });

  test('is as many as asked for, and goes on for its own promotion alone', async () => {
    const cluster = await ready({ ...canary, canary: { replicas: 2, promotion: 'Manual' } });
    await change(cluster, { version: '2.0' });
    await awaitsPromotion(cluster);
    await annotate(cluster, { 'ordinal.dev/promote': '1.9' });
    await cluster.settle();
    expect(images(cluster)).toEqual(['1.0', '2.0', '2.0']);
    cluster.stop();
  });

  test('may bake for longer than an upgrade may stand still', async () => {
    const cluster = await ready({ ...canary, canary: { bake: '1h' }, upgrade: { progressDeadline: '5m' } });
    await change(cluster, { version: '2.0' });
    await cluster.advance(1_800_000);
    expect(images(cluster)).toEqual(['1.0', '1.0', '2.0']);
    await until(cluster, () => storeNow(cluster)?.status?.currentVersion === '2.0');
    expect(storeNow(cluster)?.status?.phase).toBe('Ready');
    cluster.stop();
  });
});

test('the only member of a cluster is judged like any other canary', async () => {
  const cluster = await ready({
    replicas: 1,
    upgradeStrategy: 'Canary',
    port: 6379,
    canary: { analysis: { http: { path: '/good' }, failureThreshold: 2 } },
  });
  await change(cluster, { version: 'bad' });
  expect(await untilPhase(cluster, 'Failed')).toBe('Failed');
  await cluster.settle();
  expect(images(cluster)).toEqual(['1.0']);
  await change(cluster, { version: '2.0' });
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  expect(storeNow(cluster)?.status?.currentVersion).toBe('2.0');
  cluster.stop();
});

describe('a hook', () => {
  test('that does not end has a deadline', async () => {
    const before = { command: ['migrate'], deadline: '9h' };
    const cluster = await ready({ upgrade: { progressDeadline: '5m', beforeFirstPod: before } });
    cluster.image('my-repo/kvstore:2.0', { run: () => new Promise<number>(() => undefined) });
    await change(cluster, { version: '2.0' });
    await cluster.advance(3_600_000);
    expect(storeNow(cluster)?.status?.failure?.reason).toBe('ProgressDeadlineExceeded');
    expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
    cluster.stop();
  });

  test('runs for each upgrade anew, and before its first member', async () => {
    const cluster = await ready({ upgrade: { beforeFirstPod: { command: ['migrate'] } } });
    for (const [index, version] of ['2.0', '3.0'].entries()) {
      await change(cluster, { version });
      await until(cluster, () => images(cluster).includes(version));
      const complete = jobsFor(cluster, 'BeforeUpgrade').filter(({ status }) => status?.succeeded === 1);
      expect(complete).toHaveLength(index + 1);
      await until(cluster, () => storeNow(cluster)?.status?.currentVersion === version);
    }
    cluster.stop();
  });

  test('that fails keeps the members that were to be taken away', async () => {
    const before = { command: ['move'], image: 'example.com/move:no', retries: 0 };
    const cluster = await ready({ scaleDown: { before, claims: 'Delete' } });
    cluster.image('example.com/move:no', { run: () => 1 });
    await change(cluster, { replicas: 1 });
    await cluster.settle();
    expect(images(cluster)).toHaveLength(3);
    expect(claims(cluster)).toHaveLength(3);
    cluster.stop();
  });
});

test('a rollback undoes all of the template, not the version alone', async () => {
  const cluster = await ready({ upgrade: { progressDeadline: '5m' } });
  const containers = [{ name: 'kvstore', env: [{ name: 'NEW', value: 'yes' }] }];
  await change(cluster, { version: 'broken', podTemplate: { spec: { containers } } });
  expect(await untilPhase(cluster, 'Failed')).toBe('Failed');
  await cluster.settle();
  const set = cluster.objects.find(statefulSets, 'default', 'orders');
  expect(set?.spec?.template.spec?.containers[0]?.env?.map(({ name }) => name)).not.toContain('NEW');
  cluster.stop();
});

describe('a restore', () => {
  const restoreFrom = { backup: 'monday', job: { command: ['restore'] } };

  test('ends before a member starts', async () => {
    const { cluster } = await kvStoreWorld();
    await resource(cluster).create(store({ restoreFrom }));
    await until(cluster, () => cluster.objects.find(statefulSets, 'default', 'orders') !== undefined);
    expect(jobsFor(cluster, 'Restore')[0]?.status?.succeeded).toBe(1);
    cluster.stop();
  });

  test('is never made over the data of a cluster that ran', async () => {
    const cluster = await ready({ restoreFrom });
    await annotate(cluster, { 'ordinal.dev/paused': 'true' });
    await cluster.client()(statefulSets).namespace('default').delete('orders', { propagationPolicy: 'Background' });
    await change(cluster, { replicas: 2 });
    await cluster.advance(60_000);
    await annotate(cluster, { 'ordinal.dev/paused': null });
    await until(cluster, () => images(cluster).length === 2 && storeNow(cluster)?.status?.readyReplicas === 2);
    expect(jobsFor(cluster, 'Restore')).toHaveLength(1);
    cluster.stop();
  });
});

test('a broken member is deleted only when its StatefulSet was looked at once more right before', async () => {
  const cluster = await ready({ upgradeStrategy: 'Canary' });
  const asked: string[] = [];
  cluster.server.intercept({
    before: ({ verb, resource: { plural }, user }) => {
      if (user?.name.startsWith('system:serviceaccount:operators:') === true) asked.push(`${verb} ${plural}`);
      return undefined;
    },
  });
  await change(cluster, { version: 'broken' });
  await until(cluster, () => storeNow(cluster)?.status?.phase === 'Failed' && images(cluster).join() === '1.0,1.0,1.0');
  const deletions = asked.flatMap((request, index) => (request === 'delete pods' ? [asked[index - 1]] : []));
  expect(deletions).toEqual(['get statefulsets']);
  cluster.stop();
});
