import { kvStoreClusters } from '@ordinal/api';
import { jobs, persistentVolumeClaims, pods, statefulSets } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { images, kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';

const resource = (cluster: SimulatedCluster) => cluster.client()(kvStoreClusters).namespace('default');
const change = (cluster: SimulatedCluster, spec: object) =>
  resource(cluster).patch('orders', { type: 'merge', body: { spec } });
const annotate = (cluster: SimulatedCluster, annotations: object) =>
  resource(cluster).patch('orders', { type: 'merge', body: { metadata: { annotations } } });
const claims = (cluster: SimulatedCluster) =>
  cluster.objects.list(persistentVolumeClaims, 'default').map(({ metadata }) => metadata.name);
const condition = (cluster: SimulatedCluster, type: string) =>
  storeNow(cluster)?.status?.conditions?.find((found) => found.type === type);

async function ready(spec: Parameters<typeof store>[0] = {}) {
  const world = await kvStoreWorld();
  await resource(world.cluster).create(store(spec));
  expect(await untilPhase(world.cluster, 'Ready')).toBe('Ready');
  return world;
}

async function gone(cluster: SimulatedCluster): Promise<boolean> {
  await cluster.run({ until: () => storeNow(cluster) === undefined, maxVirtualMs: 36_000_000 });
  return storeNow(cluster) === undefined;
}

test('a cluster comes up, and then nothing is written', async () => {
  const { cluster, operator } = await ready();
  expect(storeNow(cluster)?.status).toMatchObject({
    phase: 'Ready',
    readyReplicas: 3,
    currentVersion: '1.0',
    observedGeneration: 1,
  });
  expect(claims(cluster)).toEqual(['data-orders-0', 'data-orders-1', 'data-orders-2']);
  await cluster.settle();
  const { writes } = operator;
  await cluster.advance(3_600_000);
  expect(operator.writes).toBe(writes);
  cluster.stop();
});

describe('an upgrade', () => {
  test('is under way when the cluster has looked at it, which is not Ready before its end', async () => {
    const { cluster } = await ready();
    await change(cluster, { version: '2.0' });
    const generation = storeNow(cluster)?.metadata.generation;
    const early: string[] = [];
    cluster.server.store.subscribe(() => {
      const isLookedAt = storeNow(cluster)?.status?.observedGeneration === generation;
      const isReady = isLookedAt && condition(cluster, 'Ready')?.status === 'True';
      if (isReady && images(cluster).some((image) => image !== '2.0')) early.push(images(cluster).join());
    });
    await cluster.run({ until: () => storeNow(cluster)?.status?.currentVersion === '2.0', maxVirtualMs: 900_000 });
    expect([images(cluster), early]).toEqual([['2.0', '2.0', '2.0'], []]);
    cluster.stop();
  });

  test('replaces members one after the other, and the version moves at its end', async () => {
    const { cluster } = await ready();
    const partitions: (number | undefined)[] = [];
    cluster.server.store.subscribe(() => {
      const set = cluster.objects.find(statefulSets, 'default', 'orders');
      const partition = set?.spec.updateStrategy?.rollingUpdate?.partition;
      const isUpgrading = storeNow(cluster)?.status?.targetVersion !== undefined;
      if (isUpgrading && partition !== partitions.at(-1)) partitions.push(partition);
    });
    await change(cluster, { version: '2.0' });
    await cluster.run({ until: () => images(cluster)[2] === '2.0', maxVirtualMs: 600_000 });
    expect(storeNow(cluster)?.status).toMatchObject({
      phase: 'Upgrading',
      currentVersion: '1.0',
      targetVersion: '2.0',
    });
    expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
    expect(images(cluster)).toEqual(['2.0', '2.0', '2.0']);
    expect(storeNow(cluster)?.status).toMatchObject({ currentVersion: '2.0', previousVersion: '1.0' });
    expect(storeNow(cluster)?.status?.upgrade).toBeUndefined();
    expect(partitions.slice(-3)).toEqual([2, 1, 0]);
    cluster.stop();
  });

  test.each(['broken', 'missing'])('to %s is rolled back after its deadline, and not tried again', async (version) => {
    const { cluster, operator } = await ready({ upgrade: { progressDeadline: '5m' } });
    await change(cluster, { version });
    expect(await untilPhase(cluster, 'Failed')).toBe('Failed');
    await cluster.run({
      until: () => images(cluster).every((image) => image === '1.0') && storeNow(cluster)?.status?.readyReplicas === 3,
      maxVirtualMs: 600_000,
    });
    expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
    expect(storeNow(cluster)?.status).toMatchObject({ phase: 'Failed', currentVersion: '1.0', readyReplicas: 3 });
    expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'True', reason: 'ProgressDeadlineExceeded' });
    await cluster.settle();
    const { writes } = operator;
    await cluster.advance(3_600_000);
    expect(operator.writes).toBe(writes);
    await change(cluster, { version: '2.0' });
    expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
    expect(images(cluster)).toEqual(['2.0', '2.0', '2.0']);
    cluster.stop();
  });

  test('that is put back in the middle goes back at once', async () => {
    const { cluster } = await ready();
    await change(cluster, { version: 'broken' });
    await cluster.run({ until: () => images(cluster)[2] === 'broken', maxVirtualMs: 600_000 });
    await change(cluster, { version: '1.0' });
    expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
    expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
    cluster.stop();
  });

  test('waits for the Job before the first pod, and fails without touching a member when that fails', async () => {
    const { cluster } = await ready({ upgrade: { beforeFirstPod: { command: ['migrate'], retries: 0 } } });
    cluster.image('my-repo/kvstore:2.0', {
      run: () => 1,
    });
    await change(cluster, { version: '2.0' });
    expect(await untilPhase(cluster, 'Failed')).toBe('Failed');
    expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
    expect(condition(cluster, 'Degraded')?.message).toContain('BackoffLimitExceeded');
    cluster.stop();
  });
});

describe('scaling', () => {
  test('another client’s change of the StatefulSet is put back', async () => {
    const { cluster } = await ready();
    await cluster.client()(statefulSets).namespace('default').scale.update('orders', 5);
    await cluster.settle();
    expect(images(cluster)).toHaveLength(3);
    cluster.stop();
  });

  test('down waits for its Job, and drops claims where that is wanted', async () => {
    const { cluster } = await ready({ scaleDown: { before: { command: ['backup'] }, claims: 'Delete' } });
    await change(cluster, { replicas: 1 });
    await cluster.settle();
    expect(images(cluster)).toHaveLength(1);
    expect(claims(cluster)).toEqual(['data-orders-0']);
    expect(storeNow(cluster)?.status?.hooks).toMatchObject([{ purpose: 'BeforeScaleDown', result: 'Succeeded' }]);
    cluster.stop();
  });

  test('volumes grow and no pod is replaced', async () => {
    const { cluster } = await ready();
    const uids = () => cluster.objects.list(pods, 'default').map(({ metadata }) => metadata.uid);
    const before = uids();
    await change(cluster, { storage: { size: '20Gi' } });
    await cluster.settle();
    expect(
      cluster.objects.list(persistentVolumeClaims, 'default').map(({ spec }) => spec?.resources?.requests),
    ).toEqual(Array(3).fill({ storage: '20Gi' }));
    expect(uids()).toEqual(before);
    cluster.stop();
  });
});

describe('a deletion', () => {
  const backup = { backup: { job: { command: ['backup'] } } };

  test('backs up first, then stops the members, then deletes the volumes', async () => {
    const { cluster } = await ready(backup);
    await resource(cluster).delete('orders');
    expect(await gone(cluster)).toBe(true);
    await cluster.settle();
    expect(claims(cluster)).toEqual([]);
    expect(
      cluster.objects.list(jobs, 'default').map(({ metadata }) => metadata.labels?.['ordinal.dev/purpose']),
    ).toEqual(['FinalBackup']);
    cluster.stop();
  });

  test('leaves no Job behind but that of the backup', async () => {
    const { cluster } = await ready({ ...backup, scaleDown: { before: { command: ['move'] } } });
    await change(cluster, { replicas: 2 });
    await cluster.run({ until: () => images(cluster).length === 2, maxVirtualMs: 600_000 });
    await resource(cluster).delete('orders');
    expect(await gone(cluster)).toBe(true);
    await cluster.settle();
    const left = cluster.objects.list(jobs, 'default').map(({ metadata }) => metadata.labels?.['ordinal.dev/purpose']);
    expect(left).toEqual(['FinalBackup']);
    cluster.stop();
  });

  test('keeps the volumes where no backup is set up', async () => {
    const { cluster } = await ready();
    await resource(cluster).delete('orders');
    expect(await gone(cluster)).toBe(true);
    await cluster.settle();
    expect(claims(cluster)).toHaveLength(3);
    cluster.stop();
  });

  test.each(['Background', 'Foreground'] as const)(
    'with cascade %s loses no data before the backup is made',
    async (propagationPolicy) => {
      const { cluster } = await ready(backup);
      await resource(cluster).delete('orders', { propagationPolicy });
      expect(await gone(cluster)).toBe(true);
      await cluster.settle();
      const [job] = cluster.objects.list(jobs, 'default');
      expect(job?.status?.succeeded).toBe(1);
      cluster.stop();
    },
  );

  test.each([
    ['leaves members and volumes to themselves', false],
    ['does so, too, where the StatefulSet was left in the same way before', true],
  ])('that orphans %s', async (_what, leftBefore) => {
    const { cluster } = await ready(backup);
    const orphan = { propagationPolicy: 'Orphan' } as const;
    if (leftBefore) await cluster.client()(statefulSets).namespace('default').delete('orders', orphan);
    await resource(cluster).delete('orders', orphan);
    expect(await gone(cluster)).toBe(true);
    await cluster.settle();
    expect(images(cluster)).toHaveLength(3);
    expect(claims(cluster)).toHaveLength(3);
    cluster.stop();
  });

  test('tries a backup again only when no member holds the volumes that it mounts', async () => {
    const { cluster } = await ready({ backup: { job: { command: ['backup'], image: 'backup:1', retries: 0 } } });
    let broken = true;
    cluster.image('backup:1', { run: () => (broken ? 1 : 0) });
    const ofBackup = () => cluster.objects.list(jobs, 'default');
    await resource(cluster).delete('orders');
    await cluster.run({ until: () => storeNow(cluster)?.status?.phase === 'Failed', maxVirtualMs: 600_000 });
    const [first] = ofBackup();
    broken = false;
    await cluster.client()(statefulSets).namespace('default').delete('orders', { propagationPolicy: 'Orphan' });
    const again = () => ofBackup().find(({ metadata }) => metadata.uid !== first?.metadata.uid);
    await cluster.run({ until: () => again() !== undefined, maxVirtualMs: 7_200_000 });
    expect(again()?.spec.template.spec?.volumes).not.toEqual([]);
    expect(images(cluster)).toEqual([]);
    expect(await gone(cluster)).toBe(true);
    cluster.stop();
  });

  test('waits for a required backup that fails, and goes on when a person says so', async () => {
    const { cluster } = await ready({
      backup: { job: { command: ['backup'], image: 'example.com/backup:bad', retries: 0 } },
    });
    cluster.image('example.com/backup:bad', { run: () => 1 });
    await resource(cluster).delete('orders');
    await cluster.advance(7_200_000);
    expect(storeNow(cluster)?.status).toMatchObject({ phase: 'Failed' });
    expect(condition(cluster, 'Ready')?.message).toContain(
      'kubectl annotate -n default kvs orders ordinal.dev/skip=FinalBackup --overwrite',
    );
    expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'True', reason: 'FinalBackupFailed' });
    expect(claims(cluster)).toHaveLength(3);
    await annotate(cluster, { 'ordinal.dev/skip': 'FinalBackup' });
    expect(await gone(cluster)).toBe(true);
    expect(claims(cluster)).toHaveLength(3);
    cluster.stop();
  });
});

describe('a cluster is left as it is', () => {
  test('while it is paused, and goes on afterwards', async () => {
    const { cluster } = await ready();
    await annotate(cluster, { 'ordinal.dev/paused': 'true' });
    await change(cluster, { version: '2.0' });
    await cluster.advance(3_600_000);
    expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
    expect(condition(cluster, 'Progressing')).toMatchObject({ status: 'False', reason: 'Paused' });
    await annotate(cluster, { 'ordinal.dev/paused': null });
    const isUpgraded = () => storeNow(cluster)?.status?.currentVersion === '2.0';
    await cluster.run({ until: isUpgraded, maxVirtualMs: 3_600_000 });
    expect(images(cluster)).toEqual(['2.0', '2.0', '2.0']);
    cluster.stop();
  });

  test('while another owner has the name of its StatefulSet', async () => {
    const { cluster } = await kvStoreWorld();
    const theirs = {
      apiVersion: 'apps/v1' as const,
      kind: 'StatefulSet' as const,
      metadata: { name: 'orders', namespace: 'default' },
      spec: {
        replicas: 1,
        serviceName: 'orders',
        selector: { matchLabels: { their: 'own' } },
        template: { metadata: { labels: { their: 'own' } }, spec: { containers: [{ name: 'a', image: 'theirs:1' }] } },
      },
    };
    await cluster.client()(statefulSets).namespace('default').create(theirs);
    await resource(cluster).create(store());
    await cluster.advance(60_000);
    expect(condition(cluster, 'Ready')).toMatchObject({ status: 'False', reason: 'NameTaken' });
    expect(cluster.objects.find(statefulSets, 'default', 'orders')?.spec?.replicas).toBe(1);
    await cluster.client()(statefulSets).namespace('default').delete('orders');
    expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
    cluster.stop();
  });
});

test('a backup on demand, and a new cluster that begins with it', async () => {
  const { cluster } = await ready({ backup: { job: { command: ['backup'] } } });
  await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
  await cluster.run({ until: () => storeNow(cluster)?.status?.lastBackup !== undefined, maxVirtualMs: 600_000 });
  expect(storeNow(cluster)?.status?.lastBackup).toMatchObject({ name: 'monday' });
  const second = store({ restoreFrom: { backup: 'monday', job: { command: ['restore'] } } });
  await resource(cluster).create({ ...second, metadata: { ...second.metadata, name: 'copy' } });
  const copy = () => cluster.objects.find(kvStoreClusters, 'default', 'copy')?.status;
  await cluster.run({ until: () => copy()?.phase === 'Ready', maxVirtualMs: 600_000 });
  expect(copy()?.hooks).toMatchObject([{ purpose: 'Restore', result: 'Succeeded' }]);
  cluster.stop();
});
