import type { KVStoreCluster } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import { persistentVolumeClaims } from '@ordinal/client';
import type { ContainerProcess, SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';
import { annotate, jobsFor, stores, until } from './store-steps.ts';
import { refuse } from '../writes/refuse.ts';

type Spec = Parameters<typeof store>[0];
type Drill = NonNullable<NonNullable<NonNullable<Spec>['backup']>['drill']>;

const job = (...command: string[]) => ({ command });

const drill: Drill = { check: job('check'), restore: job('restore') };

/** A cluster with a backup, and a drill that is asked for. */
async function asked(more: Partial<Drill> = {}, spec: Spec = {}) {
  const world = await kvStoreWorld();
  const { cluster } = world;
  await stores(cluster).create(
    store({ replicas: 2, backup: { job: job('backup'), drill: { ...drill, ...more } }, ...spec }),
  );
  await until(cluster, () => storeNow(cluster)?.status?.phase === 'Ready');
  await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
  await until(cluster, () => storeNow(cluster)?.status?.lastBackup?.name === 'monday');
  await annotate(cluster, { 'ordinal.dev/restore-drill': 'first' });
  return world;
}

const scratchesIn = (cluster: SimulatedCluster): readonly KVStoreCluster[] =>
  cluster.objects.list(kvStoreClusters).filter(({ metadata }) => metadata.name !== 'orders');
const drillIn = (cluster: SimulatedCluster, name = 'first') =>
  storeNow(cluster)?.status?.drills?.find((one) => one.name === name);
const untilClosed = (cluster: SimulatedCluster, name = 'first') =>
  until(cluster, () => drillIn(cluster, name)?.finishedAt !== undefined);
const claimsOf = (cluster: SimulatedCluster) =>
  cluster.objects
    .list(persistentVolumeClaims)
    .map(({ metadata }) => metadata.name)
    .sort();
const conditionIn = (cluster: SimulatedCluster, type = 'Restorable') =>
  storeNow(cluster)?.status?.conditions?.find((one) => one.type === type);

describe('a restore drill', () => {
  test('restores the newest backup into a scratch cluster, checks that, and removes it', async () => {
    const image = 'example.com/check:1';
    const { cluster, events } = await asked(
      { check: { ...job('check'), image }, replicas: 1 },
      { port: 6379, podTemplate: { metadata: { labels: { role: 'store' }, annotations: { team: 'storage' } } } },
    );
    let env: ContainerProcess['env'] = {};
    cluster.image(image, {
      startsIn: 1_000,
      run: (process) => {
        env = process.env;
        process.log('42 keys');
        return 0;
      },
    });
    await until(cluster, () => scratchesIn(cluster).length === 1);
    const [scratch] = scratchesIn(cluster);
    expect(scratch?.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'kvstore.example.com/v1',
        kind: 'KVStoreCluster',
        name: 'orders',
        uid: storeNow(cluster)?.metadata.uid,
        controller: true,
        blockOwnerDeletion: false,
      },
    ]);
    expect(scratch?.spec).toMatchObject({
      version: '1.0',
      replicas: 1,
      deletionPolicy: 'Delete',
      restoreFrom: { backup: 'monday', location: 'made monday', job: job('restore') },
      podTemplate: { metadata: { annotations: { team: 'storage' } } },
    });
    expect(scratch?.spec.podTemplate?.metadata).not.toHaveProperty('labels');
    expect(scratch?.spec.backup).toBeUndefined();
    const uid = scratch?.metadata.uid;
    const name = scratch?.metadata.name ?? '';
    await untilClosed(cluster);
    expect(drillIn(cluster)).toMatchObject({
      backup: 'monday',
      cluster: name,
      clusterUID: uid,
      result: 'Succeeded',
      message: '42 keys',
    });
    expect(env).toMatchObject({
      ORDINAL_CLUSTER: name,
      ORDINAL_SERVICE: `${name}.default.svc`,
      ORDINAL_PORT: '6379',
      ORDINAL_REPLICAS: '1',
      ORDINAL_SOURCE_CLUSTER: 'orders',
      ORDINAL_BACKUP_NAME: 'monday',
      ORDINAL_BACKUP_LOCATION: 'made monday',
      ORDINAL_DRILL: 'first',
    });
    expect(scratchesIn(cluster)).toEqual([]);
    expect(claimsOf(cluster)).toEqual(['data-orders-0', 'data-orders-1']);
    expect(conditionIn(cluster)).toMatchObject({ status: 'True', reason: 'DrillSucceeded' });
    expect(events.flatMap(({ reason }) => (reason.startsWith('RestoreDrill') ? [reason] : []))).toEqual([
      'RestoreDrillStarted',
      'RestoreDrillSucceeded',
    ]);
    expect(storeNow(cluster)?.status?.phase).toBe('Ready');
    cluster.stop();
  });

  test('that has ended is not made again, until another one is asked for', async () => {
    const { cluster } = await asked();
    await untilClosed(cluster);
    await cluster.advance(3_600_000);
    expect(jobsFor(cluster, 'RestoreDrill')).toHaveLength(1);
    await annotate(cluster, { 'ordinal.dev/restore-drill': 'second' });
    await untilClosed(cluster, 'second');
    expect(storeNow(cluster)?.status?.drills?.map(({ name, result }) => [name, result])).toEqual([
      ['first', 'Succeeded'],
      ['second', 'Succeeded'],
    ]);
    await annotate(cluster, { 'ordinal.dev/restore-drill': 'first' });
    await until(cluster, () => storeNow(cluster)?.status?.drills?.at(-1)?.name === 'first');
    await untilClosed(cluster);
    expect(jobsFor(cluster, 'RestoreDrill')).toHaveLength(3);
    cluster.stop();
  });
});

test('drills on a schedule are made each time, beside those that are asked for', async () => {
  const { cluster } = await asked({ schedule: { cron: '0 */2 * * *' } });
  await untilClosed(cluster);
  await until(
    cluster,
    () => (storeNow(cluster)?.status?.drills ?? []).filter(({ finishedAt }) => finishedAt).length === 3,
  );
  const drills = storeNow(cluster)?.status?.drills ?? [];
  expect(drills.map(({ result }) => result)).toEqual(['Succeeded', 'Succeeded', 'Succeeded']);
  const [first, ...others] = drills.map(({ name }) => name);
  expect(first).toBe('first');
  for (const name of others) expect(name).toMatch(/^scheduled-\d{8}T\d{4}Z$/);
  expect(new Set(others).size).toBe(2);
  expect(scratchesIn(cluster)).toEqual([]);
  cluster.stop();
});

describe('a restore drill fails, and its scratch cluster goes all the same,', () => {
  const fails = async (world: Awaited<ReturnType<typeof asked>>, message: string) => {
    const { cluster, events } = world;
    await untilClosed(cluster);
    expect(drillIn(cluster)).toMatchObject({ result: 'Failed', message: expect.stringContaining(message) as unknown });
    expect(scratchesIn(cluster)).toEqual([]);
    expect(claimsOf(cluster)).toEqual(['data-orders-0', 'data-orders-1']);
    expect(conditionIn(cluster)).toMatchObject({ status: 'False', reason: 'DrillFailed' });
    expect(events.filter(({ reason }) => reason === 'RestoreDrillFailed')).toHaveLength(1);
    expect(storeNow(cluster)?.status?.phase).toBe('Ready');
    cluster.stop();
  };

  test('when the check fails', async () => {
    await fails(await asked({ check: { ...job('fail'), retries: 0 } }), 'failed');
  });

  test('when the restore fails', async () => {
    await fails(await asked({ restore: { ...job('fail'), retries: 0 } }), 'RestoreFailed');
  });

  test('when its members never get ready, at its deadline', async () => {
    await fails(
      await asked({
        storage: { className: 'absent' },
        restore: { ...job('restore'), deadline: '3h' },
        deadline: '20m',
      }),
      'longer than 20 minutes',
    );
  });

  test('when the check does not end, at its deadline', async () => {
    const world = await asked({ check: { ...job('linger'), deadline: '3h' }, deadline: '20m' });
    await fails(world, 'longer than 20 minutes');
    expect(jobsFor(world.cluster, 'RestoreDrill')).toEqual([]);
  });

  test('when another client deletes it', async () => {
    const world = await asked({ check: job('linger') });
    const { cluster } = world;
    await until(cluster, () => jobsFor(cluster, 'RestoreDrill').length === 1);
    await stores(cluster).delete(scratchesIn(cluster)[0]?.metadata.name ?? '');
    await fails(world, 'another client has deleted it');
  });

  test('when another client changes it', async () => {
    const world = await asked({ check: job('linger') });
    const { cluster } = world;
    await until(cluster, () => jobsFor(cluster, 'RestoreDrill').length === 1);
    const body = { spec: { replicas: 2 } };
    await stores(cluster).patch(scratchesIn(cluster)[0]?.metadata.name ?? '', { type: 'merge', body });
    await fails(world, 'another client has changed its spec');
  });

  test('when the drill is taken out of the spec', async () => {
    const world = await asked({ check: job('linger') });
    const { cluster } = world;
    await until(cluster, () => jobsFor(cluster, 'RestoreDrill').length === 1);
    await stores(cluster).patch('orders', { type: 'merge', body: { spec: { backup: { drill: null } } } });
    await fails(world, 'was taken away');
  });
});

test('what has the name of a scratch cluster and was not made by the operator fails the drill, and stays', async () => {
  const { cluster } = await asked({ check: job('linger') });
  await until(cluster, () => scratchesIn(cluster).length === 1);
  const name = scratchesIn(cluster)[0]?.metadata.name ?? '';
  await stores(cluster).delete(name);
  await until(cluster, () => scratchesIn(cluster).length === 0);
  // With all that others can copy, but for the seal.
  const { uid = '' } = storeNow(cluster)?.metadata ?? {};
  const owner = { apiVersion: 'kvstore.example.com/v1', kind: 'KVStoreCluster', name: 'orders', uid, controller: true };
  const metadata = { name, namespace: 'default', labels: { 'ordinal.dev/owner-uid': uid }, ownerReferences: [owner] };
  await stores(cluster).create({ ...store({ replicas: 1 }), metadata });
  await untilClosed(cluster);
  expect(drillIn(cluster)?.result).toBe('Failed');
  await cluster.advance(3_600_000);
  expect(scratchesIn(cluster).map(({ status }) => status?.phase)).toEqual(['Ready']);
  cluster.stop();
});

test.each(['crashes', 'stands still'] as const)(
  'a cluster that another client puts in the place of the scratch cluster, with its seal, while the operator %s, passes no drill',
  async (what) => {
    const { cluster, operator } = await asked();
    await until(cluster, () => scratchesIn(cluster).length === 1);
    if (what === 'crashes') operator.crash();
    else operator.pause(30_000);
    const [made] = scratchesIn(cluster);
    if (!made) throw new Error('there is no scratch cluster');
    const { name, namespace = '', labels = {}, annotations = {}, ownerReferences = [] } = made.metadata;
    await stores(cluster).delete(name);
    const copied = { name, namespace, labels, annotations, ownerReferences };
    // Its restore restores nothing.
    const spec = {
      replicas: 1,
      deletionPolicy: 'Delete',
      restoreFrom: { backup: 'monday', job: job('true') },
    } as const;
    const copy = await stores(cluster).create({ ...store(spec), metadata: copied });
    await cluster.advance(30_000);
    if (what === 'crashes') operator.start();
    await untilClosed(cluster);
    expect(drillIn(cluster)?.clusterUID).not.toBe(copy.metadata.uid);
    const result = what === 'crashes' ? 'Succeeded' : 'Failed';
    expect(drillIn(cluster)).toMatchObject({ result, clusterUID: expect.any(String) as unknown });
    await until(cluster, () => scratchesIn(cluster).length === 0);
    cluster.stop();
  },
);

test('a scratch cluster whose UID could not be recorded as it was made is made anew', async () => {
  const { cluster, operator } = await asked();
  await until(cluster, () => scratchesIn(cluster).length === 1);
  const first = scratchesIn(cluster)[0]?.metadata.uid;
  operator.crash();
  await cluster.advance(60_000);
  operator.start();
  await untilClosed(cluster);
  expect(drillIn(cluster)?.result).toBe('Succeeded');
  expect(drillIn(cluster)?.clusterUID).not.toBe(first);
  expect(scratchesIn(cluster)).toEqual([]);
  expect(claimsOf(cluster)).toEqual(['data-orders-0', 'data-orders-1']);
  cluster.stop();
});

test('a scratch cluster that can not be created is reported in the condition, until the deadline', async () => {
  const { cluster } = await asked({ deadline: '20m' });
  const message = 'exceeded quota: clusters';
  refuse(cluster, ({ verb, resource: { plural } }) => verb === 'create' && plural === 'kvstoreclusters', { message });
  await until(cluster, () => conditionIn(cluster)?.message.includes(message) === true);
  expect(conditionIn(cluster)).toMatchObject({ status: 'Unknown', reason: 'DrillUnderWay' });
  await stores(cluster).patch('orders', { type: 'merge', body: { spec: { version: '2.0' } } });
  await until(cluster, () => storeNow(cluster)?.status?.currentVersion === '2.0');
  expect(drillIn(cluster)?.result).toBeUndefined();
  await untilClosed(cluster);
  expect(drillIn(cluster)).toMatchObject({
    result: 'Failed',
    message: expect.stringContaining('longer than') as unknown,
  });
  expect(storeNow(cluster)?.status).not.toHaveProperty('processingError');
  cluster.stop();
});

test('a status that can not be believed has the scratch cluster removed, and no drill made', async () => {
  const { cluster } = await asked({ check: job('linger') });
  await until(cluster, () => jobsFor(cluster, 'RestoreDrill').length === 1);
  const drills = [{ name: 'first', startedAt: '2026-01-01T00:00:00Z', result: 'Succeeded' }];
  await stores(cluster).status.patch('orders', { type: 'merge', body: { status: { drills } } });
  await until(cluster, () => scratchesIn(cluster).length === 0 && jobsFor(cluster, 'RestoreDrill').length === 0);
  await cluster.advance(3_600_000);
  expect(storeNow(cluster)?.status?.drills).toBeUndefined();
  expect(conditionIn(cluster)).toMatchObject({ status: 'Unknown', reason: 'NotDrilled' });
  expect(claimsOf(cluster)).toEqual(['data-orders-0', 'data-orders-1']);
  cluster.stop();
});

test('without a backup a drill fails, and makes nothing', async () => {
  const { cluster } = await kvStoreWorld();
  await stores(cluster).create(store({ backup: { job: job('backup'), drill } }));
  await annotate(cluster, { 'ordinal.dev/restore-drill': 'first' });
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  await untilClosed(cluster);
  expect(drillIn(cluster)).toMatchObject({ result: 'Failed', message: 'no backup has succeeded yet' });
  expect(scratchesIn(cluster)).toEqual([]);
  cluster.stop();
});

test('a deletion of the cluster takes the scratch cluster along, and waits for none of it', async () => {
  const { cluster } = await asked({ check: job('linger') }, { deletionPolicy: 'Delete' });
  await until(cluster, () => jobsFor(cluster, 'RestoreDrill').length === 1);
  await stores(cluster).delete('orders');
  await until(cluster, () => storeNow(cluster) === undefined);
  await until(cluster, () => scratchesIn(cluster).length === 0);
  await cluster.advance(600_000);
  expect(claimsOf(cluster)).toEqual([]);
  expect(jobsFor(cluster, 'RestoreDrill')).toEqual([]);
  cluster.stop();
});

test('a deletion that orphans takes the scratch cluster along', async () => {
  const { cluster } = await asked({ check: job('linger') });
  await until(cluster, () => jobsFor(cluster, 'RestoreDrill').length === 1);
  await stores(cluster).delete('orders', { propagationPolicy: 'Orphan' });
  await until(cluster, () => storeNow(cluster) === undefined && scratchesIn(cluster).length === 0);
  expect(claimsOf(cluster)).toEqual(['data-orders-0', 'data-orders-1']);
  cluster.stop();
});
