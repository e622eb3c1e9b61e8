import { kvStoreClusters } from '@ordinal/api';
import { jobs, namespaces, persistentVolumeClaims, pods, services, statefulSets } from '@ordinal/client';
import { childLabels, taskName } from '@ordinal/constructs';
import type { SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { refuse } from '../writes/refuse.ts';
import { images, kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';
import { annotate, change, claims, condition, holderOf, jobsFor, ready, stores, until } from './store-steps.ts';

test('a foreground cascade is reported plainly', async () => {
  const cluster = await ready({ backup: { job: { command: ['backup'] } } });
  await stores(cluster).delete('orders', { propagationPolicy: 'Foreground' });
  await until(cluster, () => condition(cluster, 'Ready')?.reason === 'Terminating');
  expect(condition(cluster, 'Ready')?.message).toContain('foreground cascade');
  cluster.stop();
});

test('a namespace that is being deleted is reported plainly, and blocks nothing', async () => {
  const { cluster } = await kvStoreWorld();
  await cluster
    .client()(namespaces)
    .cluster()
    .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  const there = cluster.client()(kvStoreClusters).namespace('shop');
  const wanted = store({ backup: { job: { command: ['backup'] } } });
  await there.create({ ...wanted, metadata: { name: 'orders', namespace: 'shop' } });
  const now = () => cluster.objects.find(kvStoreClusters, 'shop', 'orders');
  await until(cluster, () => now()?.status?.phase === 'Ready');
  const said: string[] = [];
  cluster.server.store.subscribe(({ kind }) => {
    if (kind.startsWith('kvstoreclusters'))
      said.push(now()?.status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '');
  });
  // Pods go before all else in a namespace: whoever is deleted with them has nothing left to wait for.
  const hold = holderOf(cluster, pods, 'orders-1', 'shop');
  await hold(['example.com/stuck']);
  await there.delete('orders');
  await cluster.client()(namespaces).cluster().delete('shop');
  await cluster.advance(60_000);
  await hold(null);
  await until(cluster, () => cluster.objects.find(namespaces, '', 'shop') === undefined);
  expect(cluster.objects.find(namespaces, '', 'shop')).toBeUndefined();
  const reported = said.find((message) => message.includes('the namespace is being deleted'));
  expect(reported).toContain('the volumes go with it');
  expect(reported).toContain('the final backup did not run');
  cluster.stop();
});

test('a member that does not end is reported after a quarter of an hour, with what helps', async () => {
  const cluster = await ready();
  const hold = holderOf(cluster, pods, 'orders-1');
  await hold(['example.com/stuck']);
  await stores(cluster).delete('orders');
  await cluster.advance(600_000);
  expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'False' });
  await cluster.advance(600_000);
  expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'True', reason: 'StoppingMembersFailed' });
  expect(condition(cluster, 'Degraded')?.message).toContain(
    'kubectl delete pod -n default orders-1 --force --grace-period=0',
  );
  await hold(null);
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(storeNow(cluster)).toBeUndefined();
  cluster.stop();
});

test('volumes that stay are reported by one event, although no status is written with it', async () => {
  const { cluster, events } = await kvStoreWorld();
  await stores(cluster).create(store({ deletionPolicy: 'Retain' }));
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  await stores(cluster).delete('orders');
  await until(cluster, () => storeNow(cluster) === undefined);
  await cluster.advance(60_000);
  const note = 'kept: data-orders-0, data-orders-1, data-orders-2';
  expect(events.filter(({ reason }) => reason === 'VolumesKept')).toMatchObject([
    { note, regarding: { kind: 'KVStoreCluster', metadata: { name: 'orders' } } },
  ]);
  cluster.stop();
});

test('a volume that does not go is reported too', async () => {
  const cluster = await ready({ deletionPolicy: 'Delete' });
  const hold = holderOf(cluster, persistentVolumeClaims, 'data-orders-0');
  await hold(['example.com/stuck']);
  await stores(cluster).delete('orders');
  await cluster.advance(1_800_000);
  expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'True', reason: 'DeletingVolumesFailed' });
  await hold(null);
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(claims(cluster)).toEqual([]);
  cluster.stop();
});

test('children that the garbage collector does not orphan are reported too, and a user can remove their owner references', async () => {
  const cluster = await ready({ deletionPolicy: 'Delete' });
  // No other client updates: the operator applies and patches.
  const conflict = { code: 409, reason: 'Conflict', message: 'later' };
  refuse(cluster, (request) => request.verb === 'update' && request.subresource === undefined, conflict);
  await stores(cluster).delete('orders', { propagationPolicy: 'Orphan' });
  await cluster.advance(600_000);
  expect(condition(cluster, 'Progressing')).toMatchObject({ status: 'True', reason: 'Orphaning' });
  expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'False' });
  await cluster.advance(301_000);
  expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'True', reason: 'OrphaningFailed' });
  expect(condition(cluster, 'Degraded')?.message).toContain(
    'kubectl patch -n default statefulset/orders service/orders',
  );
  const client = cluster.client();
  const body = { metadata: { ownerReferences: null } };
  await client(statefulSets).namespace('default').patch('orders', { type: 'merge', body });
  await client(services).namespace('default').patch('orders', { type: 'merge', body });
  const finalizers = ['kvstore.example.com/finalizer'];
  await stores(cluster).patch('orders', { type: 'merge', body: { metadata: { finalizers } } });
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(storeNow(cluster)).toBeUndefined();
  expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
  expect(claims(cluster)).toHaveLength(3);
  cluster.stop();
});

// Found by a reader: its members stayed, and nothing reported it.
test('a StatefulSet that does not go is reported, with who holds it', async () => {
  const cluster = await ready({ deletionPolicy: 'Delete' });
  const hold = holderOf(cluster, statefulSets, 'orders');
  await hold(['example.com/stuck']);
  await stores(cluster).delete('orders');
  await cluster.advance(600_000);
  expect(condition(cluster, 'Degraded')?.status).toBe('False');
  await cluster.advance(1_200_000);
  expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'True', reason: 'StoppingMembersFailed' });
  expect(condition(cluster, 'Degraded')?.message).toContain(
    'the finalizers example.com/stuck hold the StatefulSet; where their controllers do not remove them: kubectl patch -n default statefulset orders',
  );
  await hold(null);
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(images(cluster)).toEqual([]);
  cluster.stop();
});

test('an upgrade says since when it waits, and the command that lets it go on', async () => {
  const cluster = await ready({ upgradeStrategy: 'Canary', canary: { promotion: 'Manual' } });
  await change(cluster, { version: '2.0' });
  await until(cluster, () => storeNow(cluster)?.status?.upgrade?.step === 'AwaitingPromotion');
  const { since, release, toRevision = '' } = storeNow(cluster)?.status?.upgrade ?? {};
  expect(release).toBe(`kubectl annotate -n default kvs orders ordinal.dev/promote=${toRevision} --overwrite`);
  await cluster.advance(600_000);
  expect(storeNow(cluster)?.status?.upgrade?.since).toBe(since);
  cluster.stop();
});

test('a pause of upgrades holds the next member, and says how to end it', async () => {
  const cluster = await ready({ upgrade: { paused: true } });
  await change(cluster, { version: '2.0' });
  await cluster.advance(600_000);
  expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
  expect(storeNow(cluster)?.status?.upgrade).toMatchObject({
    step: 'Paused',
    release: `kubectl patch -n default kvs orders --type merge -p '{"spec":{"upgrade":{"paused":false}}}'`,
  });
  await change(cluster, { upgrade: { paused: false } });
  expect(await untilPhase(cluster, 'Upgrading')).toBe('Upgrading');
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  expect(images(cluster)).toEqual(['2.0', '2.0', '2.0']);
  cluster.stop();
});

describe('pods without a controller', () => {
  const labels = childLabels({ application: 'kv-store-cluster', instance: 'orders' });
  const present = (cluster: SimulatedCluster) =>
    cluster.objects.list(pods, 'default').map(({ metadata }) => metadata.name);

  test('are left alone, and not waited for, where only their names and labels look like those of members', async () => {
    const cluster = await ready();
    cluster.image('example.com/theirs:1', {});
    for (const name of ['orders-7', 'wonder-1'])
      await cluster
        .client()(pods)
        .namespace('default')
        .create({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name, namespace: 'default', labels },
          spec: { containers: [{ name: 'theirs', image: 'example.com/theirs:1' }] },
        });
    await cluster.client()(statefulSets).namespace('default').delete('orders', { propagationPolicy: 'Orphan' });
    await stores(cluster).delete('orders');
    await until(cluster, () => storeNow(cluster) === undefined);
    expect(storeNow(cluster)).toBeUndefined();
    expect(present(cluster)).toEqual(['orders-7', 'wonder-1']);
    cluster.stop();
  });

  test('are taken down where they hold a volume of the cluster', async () => {
    const cluster = await ready();
    await cluster.client()(statefulSets).namespace('default').delete('orders', { propagationPolicy: 'Orphan' });
    await stores(cluster).delete('orders');
    await until(cluster, () => present(cluster).length === 0);
    expect(present(cluster)).toEqual([]);
    cluster.stop();
  });
});

test('the Job before a deletion is waited for, and what lets it go on leaves out what was left out before', async () => {
  const image = 'example.com/release:no';
  const job = { command: ['no'], image, retries: 0 };
  const cluster = await ready({ delete: { before: job }, backup: { job } });
  cluster.image(image, { run: () => 1 });
  await stores(cluster).delete('orders');
  await until(cluster, () => condition(cluster, 'Degraded')?.reason === 'BeforeDeleteFailed');
  expect(images(cluster)).toHaveLength(3);
  expect(jobsFor(cluster, 'FinalBackup')).toEqual([]);
  expect(condition(cluster, 'Degraded')?.message).toContain('ordinal.dev/skip=BeforeDelete --overwrite');
  await annotate(cluster, { 'ordinal.dev/skip': 'BeforeDelete' });
  await until(cluster, () => condition(cluster, 'Degraded')?.reason === 'FinalBackupFailed');
  const { message = '' } = condition(cluster, 'Degraded') ?? {};
  expect(message).toContain('ordinal.dev/skip=BeforeDelete,FinalBackup --overwrite');
  await annotate(cluster, { 'ordinal.dev/skip': 'BeforeDelete,FinalBackup' });
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(storeNow(cluster)).toBeUndefined();
  // Without a backup and without a policy the data stays.
  expect(claims(cluster)).toHaveLength(3);
  cluster.stop();
});

test('a final backup that is left out while it is at work lets the volumes go that it mounts', async () => {
  const image = 'example.com/backup:slow';
  const job = { command: ['backup'], image, deadline: '720h' };
  const cluster = await ready({ deletionPolicy: 'Delete', backup: { job } });
  cluster.image(image, { run: () => new Promise<number>(() => undefined) });
  await stores(cluster).delete('orders', { propagationPolicy: 'Foreground' });
  const working = () => cluster.objects.list(pods, 'default').filter(({ metadata, status }) => metadata.labels?.['ordinal.dev/purpose'] === 'FinalBackup' && status?.phase === 'Running'); // prettier-ignore
  await until(cluster, () => working().length === 1);
  await annotate(cluster, { 'ordinal.dev/skip': 'FinalBackup' });
  await cluster.advance(600_000);
  expect(storeNow(cluster)).toBeUndefined();
  expect({ working: working(), claims: claims(cluster) }).toEqual({ working: [], claims: [] });
  cluster.stop();
});

describe('a final backup whose Job is refused', () => {
  const refused = async (onDelete: 'BestEffort' | 'Required', [code, reason]: readonly [number, string]) => {
    const cluster = await ready({ deletionPolicy: 'Delete', backup: { job: { command: ['backup'] }, onDelete } });
    const answer = { code, reason, message: 'exceeded quota' };
    refuse(cluster, ({ verb, resource: { plural } }) => plural === 'jobs' && verb === 'create', answer);
    const reported: string[] = [];
    cluster.server.store.subscribe(() => {
      const record = storeNow(cluster)?.status?.hooks?.find(({ purpose }) => purpose === 'FinalBackup');
      if (record?.message !== undefined) reported.push(record.message);
    });
    await stores(cluster).delete('orders');
    await cluster.advance(3_600_000);
    return { cluster, reported };
  };

  test.each([[[403, 'Forbidden']], [[422, 'Invalid']]] as const)('has had its one try, after %j', async (answer) => {
    const { cluster, reported } = await refused('BestEffort', answer);
    expect(storeNow(cluster)).toBeUndefined();
    expect(claims(cluster)).toEqual([]);
    expect(reported[0]).toContain('exceeded quota');
    cluster.stop();
  });

  test('is tried again where the API server is busy', async () => {
    const { cluster } = await refused('BestEffort', [503, 'ServiceUnavailable']);
    expect(storeNow(cluster)).toBeDefined();
    expect(images(cluster)).toHaveLength(3);
    cluster.stop();
  });

  test('is tried again where it is required', async () => {
    const { cluster } = await refused('Required', [403, 'Forbidden']);
    expect(storeNow(cluster)).toBeDefined();
    expect(claims(cluster)).toHaveLength(3);
    cluster.stop();
  });
});

// Found by reading: another client's Job of its name used up the one try, and the volumes went.
test('a final backup that is tried once waits while a Job of another client has its name', async () => {
  const backup = { job: { command: ['backup'] }, onDelete: 'BestEffort' as const };
  const cluster = await ready({ deletionPolicy: 'Delete', backup });
  const uid = storeNow(cluster)?.metadata.uid ?? '';
  const owner = { apiVersion: 'kvstore.example.com/v1', kind: 'KVStoreCluster', name: 'orders', uid };
  const name = taskName({ name: 'orders', owner }, 'FinalBackup', uid);
  const others = cluster.client()(jobs).namespace('default');
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'job', image: 'example.com/other:1' }] } };
  await others.create({
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name } },
    spec: { suspend: true, template },
  });
  await stores(cluster).delete('orders');
  await cluster.advance(3_600_000);
  expect(claims(cluster)).toHaveLength(3);
  const { processingError } = storeNow(cluster)?.status ?? {};
  expect(processingError?.message).toContain(`another client has made a Job of this name`);
  expect(processingError?.message).toContain(`kubectl delete job -n default ${name}`);
  expect(condition(cluster, 'Progressing')?.message).toContain('ordinal.dev/skip=FinalBackup');
  await others.delete(name, { propagationPolicy: 'Background' });
  const isMade = () => jobsFor(cluster, 'FinalBackup').some(({ status }) => status?.succeeded === 1);
  await until(cluster, isMade);
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(claims(cluster)).toEqual([]);
  cluster.stop();
});

test('a Job before the deletion that is added after the final backup is left out: members take no more that is not in it', async () => {
  const cluster = await ready({ backup: { job: { command: ['backup'] } } });
  await stores(cluster).delete('orders');
  await until(cluster, () => storeNow(cluster)?.status?.lastBackup !== undefined);
  const made = new Set<string>();
  cluster.server.store.subscribe(({ after }) => made.add(after?.metadata.labels?.['ordinal.dev/purpose'] ?? ''));
  await change(cluster, { delete: { before: { command: ['release'] } } });
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(made).not.toContain('BeforeDelete');
  expect(claims(cluster)).toEqual([]);
  cluster.stop();
});

test('the Job before a deletion comes first, and the deletion goes on when it has succeeded', async () => {
  const cluster = await ready({ delete: { before: { command: ['release'] } }, deletionPolicy: 'Delete' });
  await stores(cluster).delete('orders');
  await until(cluster, () => jobsFor(cluster, 'BeforeDelete')[0]?.status?.succeeded === 1);
  expect(images(cluster)).toHaveLength(3);
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(claims(cluster)).toEqual([]);
  cluster.stop();
});

test('a final backup that never ends meets its deadline, is reported, and is tried again', async () => {
  const image = 'example.com/backup:slow';
  const cluster = await ready({ backup: { job: { command: ['backup'], image, deadline: '10m', retries: 0 } } });
  cluster.image(image, { run: () => new Promise<number>(() => undefined) });
  await stores(cluster).delete('orders');
  await until(cluster, () => condition(cluster, 'Degraded')?.reason === 'FinalBackupFailed');
  expect(condition(cluster, 'Degraded')?.message).toContain('DeadlineExceeded');
  cluster.image(image, { run: () => 0 });
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(storeNow(cluster)).toBeUndefined();
  expect(claims(cluster)).toEqual([]);
  cluster.stop();
});

test.each(['BeforeDelete', 'FinalBackup', 'StoppingMembers', 'DeletingVolumes'])(
  'a namespace that is deleted while a cluster is at %s ends',
  async (reason) => {
    const { cluster } = await kvStoreWorld();
    const slow = 'example.com/slow:1';
    cluster.image(slow, { run: () => new Promise<number>(() => undefined) });
    const job = (purpose: string) => ({ command: ['x'], ...(reason === purpose ? { image: slow } : {}) });
    await cluster
      .client()(namespaces)
      .cluster()
      .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    const there = cluster.client()(kvStoreClusters).namespace('shop');
    const wanted = store({ delete: { before: job('BeforeDelete') }, backup: { job: job('FinalBackup') } });
    await there.create({ ...wanted, metadata: { name: 'orders', namespace: 'shop' } });
    const now = () => cluster.objects.find(kvStoreClusters, 'shop', 'orders');
    await until(cluster, () => now()?.status?.phase === 'Ready');
    await there.delete('orders');
    const at = () => now()?.status?.conditions?.find(({ type }) => type === 'Progressing')?.reason;
    await until(cluster, () => at() === reason);
    expect(at()).toBe(reason);
    await cluster.client()(namespaces).cluster().delete('shop');
    await until(cluster, () => cluster.objects.find(namespaces, '', 'shop') === undefined);
    expect(cluster.objects.find(namespaces, '', 'shop')).toBeUndefined();
    cluster.stop();
  },
);

test('a cluster that another client’s finalizer holds when all is cleaned up is left alone (I25)', async () => {
  const cluster = await ready();
  const ours = storeNow(cluster)?.metadata.finalizers ?? [];
  await holderOf(cluster, kvStoreClusters, 'orders')([...ours, 'example.com/theirs']);
  await stores(cluster).delete('orders');
  await until(cluster, () => storeNow(cluster)?.metadata.finalizers?.join() === 'example.com/theirs');
  const left = storeNow(cluster);
  await cluster.advance(3_600_000);
  expect(storeNow(cluster)).toEqual(left);
  expect(images(cluster)).toEqual([]);
  expect(cluster.objects.find(statefulSets, 'default', 'orders')).toBeUndefined();
  cluster.stop();
});
