import type { ClusteredCacheInput } from '@ordinal/api';
import type { Job } from '@ordinal/client';
import { jobs, pods } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { afterEach, describe, expect, test } from 'vitest';
import { clusteredCacheMetrics } from '../../src/clustered-cache/index.ts';
import { cache, cacheNow, caches, cacheWorld, change, condition, images, reaches, said } from './cache-world.ts';
import { allRun } from './upgrade-states.ts';

const worlds: SimulatedCluster[] = [];
afterEach(() => worlds.splice(0).forEach((cluster) => cluster.stop()));

type Upgrade = NonNullable<ClusteredCacheInput['spec']['upgrade']>;

const image = 'example.com/migrate:1';

/** A cache that has come up, whose Job before the first member ends with what `end` says. */
async function settled(upgrade: Partial<Upgrade>, end: () => number | Promise<number> = () => 0) {
  const { cluster, events } = await cacheWorld();
  worlds.push(cluster);
  cluster.image(image, {
    startsIn: 1000,
    run: async (process) => {
      process.log('moving with password=hunter2');
      const code = await end();
      process.log(code === 0 ? 'moved' : 'no such table');
      return code;
    },
  });
  const beforeFirstPod = { image, command: ['migrate'], retries: 0 };
  await caches(cluster).create(cache({ upgrade: { beforeFirstPod, ...upgrade } }));
  await until(cluster, () => allRun(cluster, 'cache:1'));
  return { cluster, events };
}

async function until(cluster: SimulatedCluster, isTrue: () => boolean): Promise<void> {
  expect(await reaches(cluster, isTrue), JSON.stringify(cacheNow(cluster)?.status)).toBe(true);
}

const jobsIn = (cluster: SimulatedCluster): readonly Job[] => cluster.objects.list(jobs, 'default');
const stepIn = (cluster: SimulatedCluster) => cacheNow(cluster)?.status?.upgrade?.step;
const never = () => new Promise<number>(() => undefined);
const hasFailed = (cluster: SimulatedCluster) => said(cluster, 'Available') === 'False UpgradeFailed';
const jobFailed = (cluster: SimulatedCluster) =>
  clusteredCacheMetrics([cacheNow(cluster) ?? (cache() as never)], 0).find(({ name }) => name.endsWith('job_failed'));

describe('the Job before the first member of a cache', () => {
  test('is not run where the cache is made, and comes before the first member of an upgrade', async () => {
    const { cluster } = await settled({}, never);
    expect(jobsIn(cluster)).toEqual([]);
    await change(cluster, { image: 'cache:2' });
    await until(cluster, () => stepIn(cluster) === 'BeforeFirstPod');
    await cluster.advance(300_000);
    expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:1']);
    const [job] = jobsIn(cluster);
    expect(job?.metadata).toMatchObject({
      labels: { 'ordinal.dev/purpose': 'BeforeUpgrade' },
      ownerReferences: [{ kind: 'ClusteredCache', name: 'sessions', controller: true }],
    });
    expect(cacheNow(cluster)?.status?.upgrade?.blockedBy).toBe(
      `the Job ${job?.metadata.name} has to succeed before the first member is replaced`,
    );
  });

  test('has succeeded once, is remembered with its last lines, and is cleaned up with the next one', async () => {
    const { cluster, events } = await settled({});
    await change(cluster, { image: 'cache:2' });
    await until(cluster, () => allRun(cluster, 'cache:2'));
    const [first] = jobsIn(cluster);
    expect(jobsIn(cluster)).toHaveLength(1);
    expect(cacheNow(cluster)?.status?.hooks).toMatchObject([
      { purpose: 'BeforeUpgrade', job: first?.metadata.name, result: 'Succeeded', location: 'moved', spent: true },
    ]);
    expect(JSON.stringify(cacheNow(cluster)?.status)).not.toContain('hunter2');
    await cluster.advance(1000);
    expect(events.map(({ reason }) => reason).filter((reason) => reason !== 'TakingDown')).toEqual([
      'UpgradeStarted',
      'UpgradeCompleted',
    ]);
    await change(cluster, { image: 'cache:3' });
    await until(cluster, () => allRun(cluster, 'cache:3'));
    await cluster.settle();
    expect(jobsIn(cluster)).toHaveLength(1);
    expect(jobsIn(cluster)[0]?.metadata.name).not.toBe(first?.metadata.name);
    await caches(cluster).delete('sessions');
    await until(cluster, () => jobsIn(cluster).length === 0);
  });

  test.each(['Stop', 'Rollback'] as const)(
    'fails the upgrade with its last words, where that is to %s, and no member goes',
    async (onFailure) => {
      const { cluster, events } = await settled({ onFailure }, () => 1);
      await change(cluster, { image: 'cache:2' });
      await until(cluster, () => cacheNow(cluster)?.status?.failure !== undefined);
      await cluster.advance(600_000);
      expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:1']);
      expect(cacheNow(cluster)?.status?.failure).toMatchObject({
        reason: 'HookFailed',
        message: expect.stringMatching(/^the Job \S+ failed: [^]*no such table$/),
      });
      expect(condition(cluster, 'Degraded')).toMatchObject({
        reason: 'UpgradeFailed',
        message: expect.stringContaining('no such table'),
      });
      expect(jobFailed(cluster)).toMatchObject({ value: 1, labels: { purpose: 'BeforeUpgrade' } });
      expect(events.filter(({ reason }) => reason === 'UpgradeFailed')).toHaveLength(1);
      expect(jobsIn(cluster)).toHaveLength(1);
    },
  );

  test.each<[string, (cluster: SimulatedCluster) => Promise<unknown>]>([
    ['is changed', (cluster) => change(cluster, { upgrade: { beforeFirstPod: { command: ['migrate', 'again'] } } })],
    ['is taken out', (cluster) => change(cluster, { upgrade: { beforeFirstPod: null } })],
    [
      'is asked for again',
      (cluster) =>
        caches(cluster).patch('sessions', {
          type: 'merge',
          body: { metadata: { annotations: { 'ordinal.dev/retry': '1' } } },
        }),
    ],
  ])('that has failed and %s has the upgrade tried again', async (_how, mend) => {
    for (const onFailure of ['Stop', 'Rollback'] as const) {
      let code = 1;
      const { cluster } = await settled({ onFailure }, () => code);
      await change(cluster, { image: 'cache:2' });
      await until(cluster, () => hasFailed(cluster) || said(cluster, 'Available') === 'True RolledBack');
      code = 0;
      await mend(cluster);
      await until(cluster, () => allRun(cluster, 'cache:2'));
      expect(cacheNow(cluster)?.status?.failure).toBeUndefined();
      expect(jobFailed(cluster)?.value ?? 0).toBe(0);
    }
  });

  test('has not come back as what is wanted who is lost meanwhile', async () => {
    const { cluster } = await settled({}, never);
    await change(cluster, { image: 'cache:2' });
    await until(cluster, () => jobsIn(cluster).length === 1);
    await cluster.client()(pods).namespace('default').delete('sessions-1');
    await cluster.advance(120_000);
    expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:1']);
  });

  test('of an upgrade that is put back is ended, with its pod', async () => {
    const { cluster } = await settled({}, never);
    await change(cluster, { image: 'cache:2' });
    await until(cluster, () => jobsIn(cluster).length === 1);
    await cluster.advance(30_000);
    await change(cluster, { image: 'cache:1' });
    await until(cluster, () => allRun(cluster, 'cache:1') && jobsIn(cluster).length === 0);
    expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:1']);
  });

  test('of the next version begins when the one before has ended', async () => {
    let running = 0;
    const { cluster } = await settled({}, async () => {
      running += 1;
      expect(running).toBe(1);
      return running === 0 ? 0 : never();
    });
    await change(cluster, { image: 'cache:2' });
    await until(cluster, () => jobsIn(cluster).length === 1);
    await cluster.advance(30_000);
    running = 0;
    await change(cluster, { image: 'cache:3' });
    await cluster.advance(120_000);
    expect(running).toBe(1);
    expect(jobsIn(cluster)).toHaveLength(1);
  });

  test('stands still while the upgrade is paused, and its deadline counts on', async () => {
    const { cluster } = await settled({ paused: true });
    await change(cluster, { image: 'cache:2' });
    await cluster.advance(300_000);
    expect(stepIn(cluster)).toBe('Paused');
    expect(jobsIn(cluster)).toEqual([]);
    await change(cluster, { upgrade: { paused: false } });
    await until(cluster, () => allRun(cluster, 'cache:2'));
  });

  test('does not come before a rollback', async () => {
    const { cluster } = await settled({ onFailure: 'Rollback', progressDeadline: '5m' });
    await change(cluster, { image: 'cache:broken' });
    await until(cluster, () => said(cluster, 'Available') === 'True RolledBack');
    expect(jobsIn(cluster)).toHaveLength(1);
    expect(cacheNow(cluster)?.status?.failure).toMatchObject({ reason: 'ProgressDeadlineExceeded' });
  });

  test('leaves the first member all of its time', async () => {
    const slow = () => new Promise<number>((resolve) => (end = () => resolve(0)));
    let end: () => void = () => undefined;
    const { cluster } = await settled({ progressDeadline: '5m' }, slow);
    await change(cluster, { image: 'cache:2' });
    await until(cluster, () => jobsIn(cluster).length === 1);
    await cluster.advance(240_000);
    end();
    await until(cluster, () => stepIn(cluster) !== 'BeforeFirstPod');
    const { startedAt, lastProgressAt } = cacheNow(cluster)?.status?.upgrade ?? {};
    expect(Date.parse(lastProgressAt ?? '') - Date.parse(startedAt ?? '')).toBeGreaterThan(239_000);
  });
});
