import { jobs, pods } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { images, kvStoreWorld, store, storeNow } from './kv-store-world.ts';
import { annotate, atWork, change, condition, jobsFor, ready, stores, until } from './store-steps.ts';

const image = 'example.com/task:slow';
const slow = { command: ['work'], image, deadline: '2h' };

/** Installs the image of tasks that run until they are asked to terminate. */
function install(cluster: SimulatedCluster): SimulatedCluster {
  cluster.image(image, { run: () => new Promise<number>(() => undefined) });
  return cluster;
}

const isMember = (name: string): boolean => /^orders-\d+$/.test(name);

/** The most pods of a purpose that were at work at once from now on, and the members that began beside one. */
function watch(cluster: SimulatedCluster, purpose: string): { max: number; readonly beside: string[] } {
  const seen = { max: 0, beside: [] as string[] };
  cluster.server.store.subscribe(({ kind, after }) => {
    if (kind !== 'pods') return;
    const working = atWork(cluster, purpose);
    seen.max = Math.max(seen.max, working.length);
    if (after && working.length > 0 && isMember(after.metadata.name)) seen.beside.push(after.metadata.name);
  });
  return seen;
}

describe('a restore that is replaced by another one', () => {
  const restoring = async (): Promise<SimulatedCluster> => {
    const { cluster } = await kvStoreWorld();
    install(cluster);
    await stores(cluster).create(store({ restoreFrom: { backup: 'monday', job: slow } }));
    await until(cluster, () => atWork(cluster, 'Restore').length === 1);
    return cluster;
  };

  test.each([
    ['another Job', { restoreFrom: { job: { image: 'my-repo/kvstore:1.0' } } }, 3],
    ['one for more members', { replicas: 4, restoreFrom: { job: { image: 'my-repo/kvstore:1.0' } } }, 4],
  ])('by %s has ended before that begins, and before a member starts', async (_what, spec, members) => {
    const cluster = await restoring();
    const seen = watch(cluster, 'Restore');
    await change(cluster, spec);
    await until(cluster, () => storeNow(cluster)?.status?.phase === 'Ready');
    expect(images(cluster)).toHaveLength(members);
    expect(seen).toEqual({ max: 1, beside: [] });
    expect(jobsFor(cluster, 'Restore').map(({ status }) => status?.succeeded)).toEqual([1]);
    cluster.stop();
  });

  test('has ended before that begins, also where it is not seen yet', async () => {
    const { cluster, operator } = await kvStoreWorld();
    install(cluster);
    const before = cluster.clock.now();
    await cluster.advance(10_000);
    await stores(cluster).create(store({ restoreFrom: { backup: 'monday', job: slow } }));
    await until(cluster, () => atWork(cluster, 'Restore').length === 1);
    const seen = watch(cluster, 'Restore');
    operator.crash();
    await change(cluster, { replicas: 4, restoreFrom: { job: { image: 'my-repo/kvstore:1.0' } } });
    for (const plural of ['jobs', 'pods']) operator.travelBack(plural, cluster.clock.now() - before - 1000, 20_000);
    operator.start();
    await until(cluster, () => storeNow(cluster)?.status?.phase === 'Ready');
    expect(seen).toEqual({ max: 1, beside: [] });
    cluster.stop();
  });

  test('and does not end is waited for, and named', async () => {
    const cluster = await restoring();
    const [pod = ''] = atWork(cluster, 'Restore');
    await cluster
      .client()(pods)
      .namespace('default')
      .patch(pod, { type: 'merge', body: { metadata: { finalizers: ['example.com/stuck'] } } });
    const [first] = jobsFor(cluster, 'Restore');
    await change(cluster, { replicas: 4 });
    await cluster.advance(600_000);
    expect(images(cluster)).toEqual([]);
    expect(jobsFor(cluster, 'Restore').map(({ metadata }) => metadata.name)).toEqual([first?.metadata.name]);
    expect(condition(cluster, 'Progressing')?.message).toContain(`waiting until ${first?.metadata.name ?? ''}`);
    cluster.stop();
  });

  test('and whose Job was deleted without its pod is ended as well', async () => {
    const cluster = await restoring();
    const seen = watch(cluster, 'Restore');
    await annotate(cluster, { 'ordinal.dev/paused': 'true' });
    const [first] = jobsFor(cluster, 'Restore');
    await cluster.client()(jobs).namespace('default').delete(first?.metadata.name ?? '', { propagationPolicy: 'Orphan' }); // prettier-ignore
    await change(cluster, { restoreFrom: { job: { image: 'my-repo/kvstore:1.0' } } });
    await cluster.advance(60_000);
    expect(atWork(cluster, 'Restore')).toHaveLength(1);
    await annotate(cluster, { 'ordinal.dev/paused': null });
    await until(cluster, () => storeNow(cluster)?.status?.phase === 'Ready');
    expect(seen).toEqual({ max: 1, beside: [] });
    cluster.stop();
  });
});

describe('the Job before an upgrade', () => {
  const migrating = async (): Promise<SimulatedCluster> => {
    const cluster = install(await ready({ upgrade: { beforeFirstPod: slow } }));
    await change(cluster, { version: '2.0' });
    await until(cluster, () => atWork(cluster, 'BeforeUpgrade').length === 1);
    return cluster;
  };

  test('has ended before that of another one begins', async () => {
    const cluster = await migrating();
    const seen = watch(cluster, 'BeforeUpgrade');
    const [first] = jobsFor(cluster, 'BeforeUpgrade');
    await change(cluster, { version: '3.0' });
    await until(cluster, () => jobsFor(cluster, 'BeforeUpgrade').some(({ metadata }) => metadata.uid !== first?.metadata.uid)); // prettier-ignore
    await cluster.advance(60_000);
    expect(seen.max).toBe(1);
    expect(jobsFor(cluster, 'BeforeUpgrade')).toHaveLength(1);
    expect(atWork(cluster, 'BeforeUpgrade')).toHaveLength(1);
    cluster.stop();
  });

  test.each([
    ['aborted', (cluster: SimulatedCluster) => annotate(cluster, { 'ordinal.dev/abort': '2.0' })],
    ['put back', (cluster: SimulatedCluster) => change(cluster, { version: '1.0' })],
    ['asked for without it', (cluster: SimulatedCluster) => change(cluster, { upgrade: { beforeFirstPod: null } })],
  ])('ends with an upgrade that is %s', async (_what, end) => {
    const cluster = await migrating();
    await end(cluster);
    await cluster.advance(60_000);
    expect(atWork(cluster, 'BeforeUpgrade')).toEqual([]);
    cluster.stop();
  });

  test('goes on while its upgrade is paused', async () => {
    const cluster = await migrating();
    const working = atWork(cluster, 'BeforeUpgrade');
    await change(cluster, { upgrade: { paused: true } });
    await cluster.advance(600_000);
    expect(storeNow(cluster)?.status?.upgrade?.step).toBe('Paused');
    expect(atWork(cluster, 'BeforeUpgrade')).toEqual(working);
    cluster.stop();
  });
});

describe('the Job before a reduction', () => {
  const reducing = async (): Promise<SimulatedCluster> => {
    const cluster = install(await ready({ scaleDown: { before: slow } }));
    await change(cluster, { replicas: 2 });
    await until(cluster, () => atWork(cluster, 'BeforeScaleDown').length === 1);
    return cluster;
  };

  test('goes on when something else of the spec changes', async () => {
    const cluster = await reducing();
    const working = atWork(cluster, 'BeforeScaleDown');
    await change(cluster, { storage: { size: '11Gi' } });
    await cluster.advance(120_000);
    expect(atWork(cluster, 'BeforeScaleDown')).toEqual(working);
    cluster.stop();
  });

  test('has ended before another one for it begins', async () => {
    const cluster = await reducing();
    const seen = watch(cluster, 'BeforeScaleDown');
    await change(cluster, { scaleDown: { before: { image: 'my-repo/kvstore:1.0' } } });
    await until(cluster, () => images(cluster).length === 2);
    expect(seen.max).toBe(1);
    expect(atWork(cluster, 'BeforeScaleDown')).toEqual([]);
    cluster.stop();
  });

  test('ends when the member that it empties is wanted again', async () => {
    const cluster = await reducing();
    await change(cluster, { replicas: 3 });
    await cluster.advance(60_000);
    expect(atWork(cluster, 'BeforeScaleDown')).toEqual([]);
    expect(condition(cluster, 'Ready')?.status).toBe('True');
    cluster.stop();
  });
});

test('backups by several names are made beside each other, and a Job that has ended keeps its log', async () => {
  const cluster = install(await ready({ backup: { job: slow } }));
  await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
  await until(cluster, () => atWork(cluster, 'Backup').length === 1);
  await annotate(cluster, { 'ordinal.dev/backup': 'tuesday' });
  await until(cluster, () => atWork(cluster, 'Backup').length === 2);
  expect(atWork(cluster, 'Backup')).toHaveLength(2);
  cluster.stop();
});
