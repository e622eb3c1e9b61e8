import { jobs, pods } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { failing, kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';
import { annotate, change, jobsFor, ready, stores, until } from './store-steps.ts';

describe('a backup whose name was given to one before', () => {
  const backup = { job: { command: ['backup'], retries: 0 } } as const;
  const record = (cluster: SimulatedCluster) =>
    storeNow(cluster)?.status?.hooks?.find(({ purpose }) => purpose === 'Backup');

  /** Asks for a backup, and runs until it has ended. */
  async function ask(cluster: SimulatedCluster, name: string): Promise<ReturnType<typeof record>> {
    await annotate(cluster, { 'ordinal.dev/backup': name });
    await until(cluster, () => record(cluster)?.subject === name && record(cluster)?.result !== undefined);
    await cluster.settle();
    return record(cluster);
  }

  /** A cluster that has come up, and its operator. */
  async function living(spec: Parameters<typeof store>[0]) {
    const world = await kvStoreWorld();
    await stores(world.cluster).create(store(spec));
    await untilPhase(world.cluster, 'Ready');
    await world.cluster.settle();
    return world;
  }

  // Found by a reader: the Job of the Monday before stood for it, and no backup was made any more.
  test('is made anew', async () => {
    const cluster = await ready({ backup });
    const first = await ask(cluster, 'monday');
    await ask(cluster, 'tuesday');
    await cluster.advance(600_000);
    const again = await ask(cluster, 'monday');
    expect(again?.result).toBe('Succeeded');
    expect(Date.parse(again?.finishedAt ?? '')).toBeGreaterThan(Date.parse(first?.finishedAt ?? '') + 600_000);
    expect(storeNow(cluster)?.status?.lastBackup).toMatchObject({ name: 'monday', finishedAt: again?.finishedAt });
    expect(jobsFor(cluster, 'Backup')).toHaveLength(2);
    cluster.stop();
  });

  test('is made anew, also where the Job of that one is not seen yet', async () => {
    const { cluster, operator } = await living({ backup });
    const before = cluster.clock.now();
    const first = await ask(cluster, 'monday');
    await ask(cluster, 'tuesday');
    await cluster.advance(600_000);
    operator.crash();
    operator.travelBack('jobs', cluster.clock.now() - before, 20_000);
    await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
    operator.start();
    await until(cluster, () => record(cluster)?.subject === 'monday' && record(cluster)?.result !== undefined);
    expect(record(cluster)?.finishedAt).not.toBe(first?.finishedAt);
    cluster.stop();
  });

  // Found by a reader: nine lists in one reconcile after ten backups, and a log for each.
  test('is not read again once its end is reported, however many there were', async () => {
    const cluster = await ready({ backup });
    let reads = 0;
    cluster.server.intercept({
      before: ({ verb, resource, user }) => {
        if (verb === 'list' && resource.plural === 'pods' && user?.name.includes('operator') === true) reads += 1;
        return undefined;
      },
    });
    for (const name of ['monday', 'tuesday', 'wednesday', 'thursday']) await ask(cluster, name);
    reads = 0;
    await annotate(cluster, { any: 'change' });
    await cluster.settle();
    expect(reads).toBe(0);
    cluster.stop();
  });

  // Found by a second reader: the Job of the Monday before was recorded as what had been asked for, while the new one was still at work.
  test('is not reported from the Job of that one, where that is seen once more after it has gone', async () => {
    const image = 'example.com/backup:slow';
    const { cluster, operator } = await living({ backup: { job: { ...backup.job, image, deadline: '2h' } } });
    const working = new Set<(code: number) => void>();
    cluster.image(image, { run: () => new Promise<number>((resolve) => working.add(resolve)) });
    const end = (code: number): void => {
      for (const finish of working) finish(code);
      working.clear();
    };
    for (const name of ['monday', 'tuesday']) {
      await annotate(cluster, { 'ordinal.dev/backup': name });
      await until(cluster, () => working.size === 1);
      end(0);
      await until(cluster, () => record(cluster)?.subject === name && record(cluster)?.result !== undefined);
    }
    await cluster.advance(60_000);
    const before = cluster.clock.now();
    await cluster.advance(60_000);
    await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
    await until(cluster, () => working.size === 1);
    operator.crash();
    operator.travelBack('jobs', cluster.clock.now() - before, 20_000);
    operator.start();
    await cluster.advance(60_000);
    expect(record(cluster)).toMatchObject({ subject: 'monday' });
    expect(record(cluster)?.result).toBeUndefined();
    end(1);
    await until(cluster, () => record(cluster)?.result !== undefined);
    expect(record(cluster)?.result).toBe('Failed');
    cluster.stop();
  });

  test('is tried anew where that one has failed', async () => {
    const cluster = await ready({ backup });
    failing.set(cluster, 'backup');
    expect(await ask(cluster, 'monday')).toMatchObject({ result: 'Failed' });
    failing.delete(cluster);
    await ask(cluster, 'tuesday');
    expect(await ask(cluster, 'monday')).toMatchObject({ result: 'Succeeded' });
    cluster.stop();
  });

  test('waits until that one has ended', async () => {
    const image = 'example.com/backup:slow';
    const cluster = await ready({ backup: { job: { ...backup.job, image, deadline: '2h' } } });
    const working: ((code: number) => void)[] = [];
    cluster.image(image, { run: () => new Promise<number>((resolve) => working.push(resolve)) });
    await begin(cluster, 'monday', 1);
    await begin(cluster, 'tuesday', 2);
    await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
    await cluster.advance(60_000);
    expect(working).toHaveLength(2);
    for (const end of working) end(0);
    await until(cluster, () => working.length === 3);
    working.at(-1)?.(0);
    await until(cluster, () => record(cluster)?.subject === 'monday' && record(cluster)?.result !== undefined);
    expect(record(cluster)).toMatchObject({ subject: 'monday', result: 'Succeeded' });
    cluster.stop();
  });

  async function begin(cluster: SimulatedCluster, name: string, count: number): Promise<void> {
    await annotate(cluster, { 'ordinal.dev/backup': name });
    await until(cluster, () => jobsFor(cluster, 'Backup').length === count);
  }
});

// Found by a second reader: where it is was not recorded, as its Job was first seen when the next one was about to be made.
test('where a backup is stays known, also where its Job is not seen before it has ended', async () => {
  const { cluster, operator } = await kvStoreWorld();
  await stores(cluster).create(store({ backup: { job: { command: ['backup'] } } }));
  await untilPhase(cluster, 'Ready');
  await cluster.settle();
  const before = cluster.clock.now();
  await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
  await until(cluster, () => jobsFor(cluster, 'Backup').length === 1);
  operator.crash();
  await until(cluster, () => jobsFor(cluster, 'Backup')[0]?.status?.succeeded === 1);
  operator.travelBack('jobs', cluster.clock.now() - before, 20_000);
  operator.start();
  await until(cluster, () => storeNow(cluster)?.status?.lastBackup !== undefined);
  expect(storeNow(cluster)?.status?.lastBackup).toMatchObject({ name: 'monday', location: 'made monday' });
  cluster.stop();
});

// Found by a third reader: its Job failed for want of a member to read from, and no backup of that name was made any more.
test('a backup that the manifest of a cluster asks for is made when a member serves', async () => {
  const { cluster } = await kvStoreWorld();
  cluster.image('my-repo/kvstore:slow', { startsIn: 120_000, run: () => new Promise<number>(() => undefined) });
  const spec = { version: 'slow', backup: { job: { command: ['backup'], image: 'my-repo/kvstore:1.0' } } };
  const annotations = { 'ordinal.dev/backup': 'first' };
  await stores(cluster).create({ ...store(spec), metadata: { name: 'orders', namespace: 'default', annotations } });
  await until(cluster, () => storeNow(cluster)?.status?.hooks?.[0]?.result !== undefined);
  expect(storeNow(cluster)?.status?.lastBackup).toMatchObject({ name: 'first' });
  cluster.stop();
});

// Found by a second reader: its end was never reported, and the deletion below did not wait for it.
test('a backup is reported also where the annotation is removed before it ends, and is not made again', async () => {
  const image = 'example.com/backup:slow';
  const cluster = await ready({ backup: { job: { command: ['backup'], image, retries: 0 } } });
  const ends: ((code: number) => void)[] = [];
  cluster.image(image, { run: () => new Promise<number>((resolve) => ends.push(resolve)) });
  await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
  await until(cluster, () => ends.length === 1);
  await annotate(cluster, { 'ordinal.dev/backup': null });
  await cluster.advance(60_000);
  ends[0]?.(0);
  await until(cluster, () => storeNow(cluster)?.status?.lastBackup !== undefined);
  expect(storeNow(cluster)?.status?.lastBackup).toMatchObject({ name: 'monday' });
  const [job] = jobsFor(cluster, 'Backup');
  await cluster
    .client()(jobs)
    .namespace('default')
    .delete(job?.metadata.name ?? '');
  await cluster.advance(60_000);
  expect(jobsFor(cluster, 'Backup')).toEqual([]);
  cluster.stop();
});

describe('an upgrade whose analysis has failed, and that is asked for again', () => {
  const image = 'example.com/check:1';
  const job = { command: ['check'], image, retries: 0 } as const;

  /** A cluster whose canary has failed its analysis, which would pass by now. */
  async function failed(onFailure: 'Rollback' | 'Stop'): Promise<SimulatedCluster> {
    const upgradeStrategy = 'Canary';
    const cluster = await ready({ upgradeStrategy, canary: { analysis: { job } }, upgrade: { onFailure } });
    cluster.image(image, { run: () => 1 });
    await change(cluster, { version: '2.0' });
    expect(await untilPhase(cluster, 'Failed')).toBe('Failed');
    await cluster.settle();
    cluster.image(image, { run: () => 0 });
    return cluster;
  }

  test.each(['Rollback', 'Stop'] as const)('is judged anew after %s', async (onFailure) => {
    const cluster = await failed(onFailure);
    await change(cluster, { version: '1.0' });
    await untilPhase(cluster, 'Ready');
    await change(cluster, { version: '2.0' });
    await until(cluster, () => storeNow(cluster)?.status?.currentVersion === '2.0');
    expect(storeNow(cluster)?.status).toMatchObject({ phase: 'Ready', currentVersion: '2.0' });
    cluster.stop();
  });

  // Found by a reader: the canary is still the pod that was judged, and the Job of the time before stood for it.
  test('is judged anew, also where the pod is still there that was judged', async () => {
    const cluster = await failed('Stop');
    const canary = cluster.objects.find(pods, 'default', 'orders-2')?.metadata.uid;
    await change(cluster, { version: '3.0', upgrade: { paused: true } });
    await until(cluster, () => storeNow(cluster)?.status?.upgrade?.step === 'Paused');
    await cluster.settle();
    await change(cluster, { version: '2.0', upgrade: { paused: false } });
    expect(cluster.objects.find(pods, 'default', 'orders-2')?.metadata.uid).toBe(canary);
    await until(cluster, () => ['Ready', 'Failed'].includes(storeNow(cluster)?.status?.phase ?? ''));
    expect(storeNow(cluster)?.status).toMatchObject({ phase: 'Ready', currentVersion: '2.0' });
    expect(cluster.objects.find(pods, 'default', 'orders-2')?.metadata.uid).toBe(canary);
    expect(jobsFor(cluster, 'Analysis')).toHaveLength(4);
    cluster.stop();
  });
});
