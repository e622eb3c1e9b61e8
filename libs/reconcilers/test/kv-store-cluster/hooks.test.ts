import { jobs, pods, statefulSets } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { images, kvStoreWorld, store, storeNow } from './kv-store-world.ts';
import { annotate, change, condition, holderOf, jobsFor, ready, stores, until } from './store-steps.ts';

describe('the Job before members are taken away', () => {
  const scaleDown = { before: { command: ['backup'] } };
  const scaleByHand = async (cluster: Awaited<ReturnType<typeof ready>>, replicas: number) => {
    await cluster.client()(statefulSets).namespace('default').scale.update('orders', replicas);
    await until(cluster, () => images(cluster).length === replicas);
    await until(cluster, () => images(cluster).length === 3);
  };

  test('runs for each time that the StatefulSet is scaled by hand, not for the first alone', async () => {
    const cluster = await ready({ scaleDown });
    await scaleByHand(cluster, 5);
    expect(images(cluster)).toHaveLength(3);
    const [first] = jobsFor(cluster, 'BeforeScaleDown').map(({ metadata }) => metadata.uid);
    await cluster.advance(60_000);
    await scaleByHand(cluster, 5);
    expect(images(cluster)).toHaveLength(3);
    const later = jobsFor(cluster, 'BeforeScaleDown').filter(({ metadata }) => metadata.uid !== first);
    expect(later).toHaveLength(1);
    expect(later[0]?.status?.succeeded).toBe(1);
    cluster.stop();
  });

  test('runs once for one reduction', async () => {
    const cluster = await ready({ scaleDown });
    await change(cluster, { replicas: 1 });
    await cluster.settle();
    expect(images(cluster)).toHaveLength(1);
    expect(jobsFor(cluster, 'BeforeScaleDown')).toHaveLength(1);
    cluster.stop();
  });
});

describe('the Job before the first member is replaced', () => {
  test('comes before members that a user has added by hand, too', async () => {
    const slow = { command: ['run'], image: 'example.com/job:slow' };
    const cluster = await ready({ upgrade: { beforeFirstPod: slow }, scaleDown: { before: slow } });
    cluster.image('example.com/job:slow', { startsIn: 120_000, run: () => 0 });
    await change(cluster, { version: '2.0' });
    await until(cluster, () => storeNow(cluster)?.status?.upgrade?.step === 'BeforeFirstPod');
    await cluster.client()(statefulSets).namespace('default').scale.update('orders', 5);
    await cluster.advance(60_000);
    expect(images(cluster).filter((image) => image !== '1.0')).toEqual([]);
    expect(images(cluster)).toHaveLength(5);
    const { upgrade } = storeNow(cluster)?.status ?? {};
    expect(upgrade).not.toHaveProperty('partition');
    expect(upgrade?.lastProgressAt).toBe(upgrade?.startedAt);
    await until(cluster, () => storeNow(cluster)?.status?.currentVersion === '2.0');
    expect(images(cluster)).toEqual(['2.0', '2.0', '2.0']);
    cluster.stop();
  });
});

describe('what a Job printed', () => {
  test('at its end says where a backup is', async () => {
    const cluster = await ready({ backup: { job: { command: ['backup'] } } });
    await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
    await until(cluster, () => storeNow(cluster)?.status?.lastBackup !== undefined);
    expect(storeNow(cluster)?.status?.lastBackup).toMatchObject({ name: 'monday', location: 'made monday' });
    cluster.stop();
  });

  test('stands in the condition when it fails, without what looks like a secret', async () => {
    const beforeFirstPod = { command: ['migrate'], image: 'example.com/migrate:no', retries: 0 };
    const cluster = await ready({ upgrade: { beforeFirstPod } });
    cluster.image('example.com/migrate:no', {
      run: (process) => {
        process.log('connecting with password=hunter2');
        process.log('table orders is locked');
        return 1;
      },
    });
    await change(cluster, { version: '2.0' });
    await until(cluster, () => storeNow(cluster)?.status?.phase === 'Failed');
    const { message = '' } = condition(cluster, 'Degraded') ?? {};
    expect(message).toContain('table orders is locked');
    expect(message).toContain('password=[hidden]');
    expect(JSON.stringify(storeNow(cluster)?.status)).not.toContain('hunter2');
    cluster.stop();
  });
});

test('a deletion waits until the Jobs that are not needed any more are gone, with their pods', async () => {
  const cluster = await ready({
    backup: { job: { command: ['backup'] } },
    scaleDown: { before: { command: ['move'] } },
  });
  await change(cluster, { replicas: 2 });
  await until(cluster, () => images(cluster).length === 2);
  const left = () =>
    cluster.objects.list(jobs, 'default').map(({ metadata }) => metadata.labels?.['ordinal.dev/purpose']);
  expect(left()).toEqual(['BeforeScaleDown']);
  // Another client's finalizer keeps the Job for a while.
  const [job] = cluster.objects.list(jobs, 'default');
  const hold = holderOf(cluster, jobs, job?.metadata.name ?? '');
  await hold([...(job?.metadata.finalizers ?? []), 'example.com/audit']);
  await stores(cluster).delete('orders');
  await cluster.advance(600_000);
  expect(left()).toContain('BeforeScaleDown');
  expect(storeNow(cluster)).toBeDefined();
  expect(condition(cluster, 'Progressing')).toMatchObject({ reason: 'DeletingJobs' });
  await hold(null);
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(storeNow(cluster)).toBeUndefined();
  expect(left()).toEqual(['FinalBackup']);
  expect(cluster.objects.list(pods, 'default').filter(({ metadata }) => metadata.labels?.['ordinal.dev/purpose'] === 'BeforeScaleDown')).toEqual([]); // prettier-ignore
  cluster.stop();
});

test('a new cluster waits for its restore, and says so', async () => {
  const { cluster } = await kvStoreWorld();
  const image = 'example.com/restore:slow';
  cluster.image(image, { run: () => new Promise<number>(() => undefined) });
  await stores(cluster).create(store({ restoreFrom: { backup: 'monday', job: { command: ['restore'], image } } }));
  await cluster.advance(60_000);
  expect(condition(cluster, 'Progressing')).toMatchObject({ status: 'True', reason: 'Restoring' });
  expect(images(cluster)).toEqual([]);
  cluster.stop();
});
