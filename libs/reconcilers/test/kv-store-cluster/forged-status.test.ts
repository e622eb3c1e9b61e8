import { conditionOf, jobs, pods } from '@ordinal/client';
import type { Job } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { images, kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';
import { annotate, change, claims, installUnready, jobsFor, ready, stores, until } from './store-steps.ts';

const backup = { job: { command: ['backup'] }, onDelete: 'Required' } as const;

/** What a user does who may write statuses and nothing else. */
const forge = (cluster: SimulatedCluster, status: object | null) =>
  stores(cluster).status.patch('orders', { type: 'merge', body: { status } });

const finalBackup = (subject: string) => ({
  purpose: 'FinalBackup',
  subject,
  job: 'orders-final-backup',
  result: 'Succeeded',
  finishedAt: '2026-01-01T00:00:00Z',
});

/** Deletes the cluster and returns how many final backups have succeeded when its volumes have gone. */
async function backupsWhenGone(cluster: SimulatedCluster): Promise<number> {
  await stores(cluster).delete('orders');
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(storeNow(cluster)).toBeUndefined();
  expect(claims(cluster)).toEqual([]);
  return jobsFor(cluster, 'FinalBackup').filter(({ status }) => status?.succeeded === 1).length;
}

test('a final backup that the status of another cluster tells of counts for nothing', async () => {
  const cluster = await ready({ backup });
  await forge(cluster, { hooks: [finalBackup('another-uid')] });
  expect(await backupsWhenGone(cluster)).toBe(1);
  cluster.stop();
});

test('nor does one that a user has written for this cluster', async () => {
  const cluster = await ready({ backup });
  await forge(cluster, { hooks: [finalBackup(storeNow(cluster)?.metadata.uid ?? '')] });
  expect(await backupsWhenGone(cluster)).toBe(1);
  cluster.stop();
});

test('nor one that is written in the moment of the deletion', async () => {
  const cluster = await ready({ backup: { ...backup, job: { command: ['linger'] } } });
  await stores(cluster).delete('orders');
  await until(cluster, () => jobsFor(cluster, 'FinalBackup').length === 1);
  await forge(cluster, { hooks: [finalBackup(storeNow(cluster)?.metadata.uid ?? '')], mayHoldData: null });
  await cluster.advance(300_000);
  expect(claims(cluster)).toHaveLength(3);
  expect(storeNow(cluster)?.status?.hooks?.find(({ purpose }) => purpose === 'FinalBackup')?.result).toBeUndefined();
  cluster.stop();
});

test('nor one in manifests that were restored with their status', async () => {
  const cluster = await ready({ backup });
  const before = storeNow(cluster)?.status ?? {};
  expect(await backupsWhenGone(cluster)).toBe(1);
  await stores(cluster).create(store({ backup }));
  const uid = storeNow(cluster)?.metadata.uid ?? '';
  await forge(cluster, { ...before, hooks: [finalBackup(uid)] });
  await cluster.advance(1_000);
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  expect(await backupsWhenGone(cluster)).toBe(2);
  cluster.stop();
});

/** What a client knows of the final backup of the cluster `orders`: all but the seal, which no one can make for a Job that runs something else. */
async function forgedBackup(cluster: SimulatedCluster, annotations: Readonly<Record<string, string>>): Promise<Job> {
  const uid = storeNow(cluster)?.metadata.uid ?? '';
  cluster.image('forged:1', { run: () => 0 });
  return cluster
    .client()(jobs)
    .namespace('default')
    .create({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { ...(await finalBackupOf(uid)), annotations },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'task', image: 'forged:1' }] } } },
    });
}

/** The name and labels that the final backup of a cluster with this UID has. */
async function finalBackupOf(uid: string): Promise<{ readonly name: string; readonly labels: Record<string, string> }> {
  const model = await ready({ backup });
  const modelUID = storeNow(model)?.metadata.uid ?? '';
  await stores(model).delete('orders');
  await until(model, () => jobsFor(model, 'FinalBackup').length === 1);
  const { name = '', labels = {} } = jobsFor(model, 'FinalBackup')[0]?.metadata ?? {};
  model.stop();
  const ofThis = (text: string): string => text.replaceAll(modelUID, uid);
  return {
    name: ofThis(name),
    labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, ofThis(value)])),
  };
}

const jobNow = (cluster: SimulatedCluster, { metadata: { name } }: Job): Job | undefined =>
  cluster.objects.find(jobs, 'default', name);

/** The deletion waits while this Job is there, says so, and goes on when a user has deleted it as the message says. */
async function waitsFor(cluster: SimulatedCluster, forged: Job): Promise<void> {
  const { name, uid } = forged.metadata;
  await cluster.advance(1_200_000);
  expect(claims(cluster)).toHaveLength(3);
  expect(jobNow(cluster, forged)?.metadata.uid).toBe(uid);
  expect(storeNow(cluster)?.status?.hooks?.find(({ purpose }) => purpose === 'FinalBackup')?.result).toBeUndefined();
  const command = `kubectl delete job -n default ${name}`;
  expect(conditionOf(storeNow(cluster)?.status?.conditions, 'ReconcileFailed')).toMatchObject({
    status: 'True',
    message: expect.stringContaining(command) as string,
  });
  await cluster.client()(jobs).namespace('default').delete(name);
  await until(cluster, () => storeNow(cluster) === undefined);
  const succeeded = jobsFor(cluster, 'FinalBackup').filter(({ status }) => status?.succeeded === 1);
  expect(succeeded.map(({ spec }) => spec.template.spec?.containers[0]?.image)).toEqual(['my-repo/kvstore:1.0']);
}

test('nor the Job of another client that has its name', async () => {
  const cluster = await ready({ backup });
  await stores(cluster).delete('orders');
  await until(cluster, () => jobsFor(cluster, 'FinalBackup').length === 1);
  const [made] = jobsFor(cluster, 'FinalBackup');
  const there = cluster.client()(jobs).namespace('default');
  await there.delete(made?.metadata.name ?? '', { propagationPolicy: 'Foreground' });
  await until(cluster, () => jobsFor(cluster, 'FinalBackup').length === 0);
  // With the seal of the one that was there.
  await waitsFor(cluster, await forgedBackup(cluster, { ...made?.metadata.annotations }));
  cluster.stop();
});

test('nor a Job of another client that was there before', async () => {
  const cluster = await ready({ backup });
  const uid = storeNow(cluster)?.metadata.uid ?? '';
  const forged = await forgedBackup(cluster, { 'ordinal.dev/subject': uid });
  await until(cluster, () => jobNow(cluster, forged)?.status?.succeeded === 1);
  await stores(cluster).delete('orders');
  await waitsFor(cluster, forged);
  cluster.stop();
});

/** A cluster whose first sealed status is put back when it has served, and none of its members is ready any more. */
async function unsaid(spec: Parameters<typeof store>[0]): Promise<SimulatedCluster> {
  const { cluster } = await kvStoreWorld();
  await stores(cluster).create(store(spec));
  await until(cluster, () => storeNow(cluster)?.status?.seal !== undefined);
  const { status: first } = storeNow(cluster) ?? {};
  expect(first).not.toHaveProperty('mayHoldData');
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  installUnready(cluster);
  await Promise.all(images(cluster).map((_, n) => cluster.client()(pods).namespace('default').delete(`orders-${n}`)));
  await cluster.advance(60_000);
  const operations = [{ op: 'add', path: '/status', value: first as never }] as const;
  await stores(cluster).status.patch('orders', { type: 'json', operations });
  await cluster.advance(10_000);
  expect(storeNow(cluster)?.status).not.toHaveProperty('currentVersion');
  return cluster;
}

test('volumes go after a final backup also where the status of before there was data is put back', async () => {
  const cluster = await unsaid({ deletionPolicy: 'Delete', backup });
  expect(await backupsWhenGone(cluster)).toBe(1);
  cluster.stop();
});

test('the mark that there may be data is put back where another client has taken it off', async () => {
  const cluster = await ready({ backup });
  const uid = storeNow(cluster)?.metadata.uid;
  const mark = () => storeNow(cluster)?.metadata.annotations?.['ordinal.dev/holds-data'];
  expect(mark()).toBe(uid);
  await annotate(cluster, { 'ordinal.dev/holds-data': null });
  await until(cluster, () => mark() === uid);
  expect(mark()).toBe(uid);
  cluster.stop();
});

test('a cluster is marked also where it is paused before the first member is ready', async () => {
  const { cluster } = await kvStoreWorld();
  await stores(cluster).create(store({ backup }));
  await until(cluster, () => images(cluster).length === 1);
  await annotate(cluster, { 'ordinal.dev/paused': 'true' });
  await cluster.advance(60_000);
  const { annotations, uid } = storeNow(cluster)?.metadata ?? {};
  expect(annotations?.['ordinal.dev/holds-data']).toBe(uid);
  cluster.stop();
});

test('a rollback does not lead to a version that a forged status names', async () => {
  const cluster = await ready();
  cluster.image('my-repo/kvstore:0.1-forged', { startsIn: 1_000 });
  await change(cluster, { version: 'broken', upgrade: { progressDeadline: '2m' } });
  await cluster.advance(30_000);
  await forge(cluster, { currentVersion: '0.1-forged', currentRevision: 'forged' });
  await until(cluster, () => storeNow(cluster)?.status?.phase === 'Failed');
  await cluster.advance(600_000);
  expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
  cluster.stop();
});

test('a canary that a forged status calls passed is judged all the same', async () => {
  const canary = { analysis: { job: { command: ['fail'], image: 'judge:1' } } };
  const cluster = await ready({ upgradeStrategy: 'Canary', canary });
  cluster.image('judge:1', { run: () => new Promise<number>(() => undefined) });
  await change(cluster, { version: '2.0' });
  await until(cluster, () => storeNow(cluster)?.status?.upgrade?.step === 'Analysing');
  const { upgrade } = storeNow(cluster)?.status ?? {};
  const podUID = cluster.objects.find(pods, 'default', 'orders-2')?.metadata.uid;
  const analysed = [{ podUID, revision: upgrade?.toRevision, result: 'Passed' }];
  await forge(cluster, { upgrade: { analysed } });
  await cluster.advance(120_000);
  expect(images(cluster)).toEqual(['1.0', '1.0', '2.0']);
  cluster.stop();
});

test('a status that a user has emptied is filled again, and no member is deleted', async () => {
  const cluster = await ready({ backup });
  await forge(cluster, null);
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  expect(storeNow(cluster)?.status).toMatchObject({ currentVersion: '1.0', mayHoldData: true });
  cluster.stop();
});
