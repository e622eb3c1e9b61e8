import type { ClusteredCacheInput } from '@ordinal/api';
import type { Job } from '@ordinal/client';
import { jobs, pods } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';
import { afterEach, describe, expect, test } from 'vitest';
import { abortAnnotation, promoteAnnotation } from '../../src/annotations.ts';
import {
  cache,
  cacheNow,
  caches,
  cacheWorld,
  change,
  condition,
  images,
  members,
  reaches,
  said,
} from './cache-world.ts';
import { allRun, failed, rolledBack } from './upgrade-states.ts';

const worlds: SimulatedCluster[] = [];
afterEach(() => worlds.splice(0).forEach((cluster) => cluster.stop()));

type Canary = NonNullable<NonNullable<ClusteredCacheInput['spec']['upgrade']>['canary']>;
type Upgrade = NonNullable<ClusteredCacheInput['spec']['upgrade']>;

const judge = 'example.com/judge:1';

/** A cache that has come up; `good` says what members answer when they are asked whether they are. */
async function settled(canary: Canary, upgrade: Partial<Upgrade> = {}, good: () => boolean = () => true) {
  const { cluster, events } = await cacheWorld();
  worlds.push(cluster);
  cluster.image('cache:2', { startsIn: 2000, http: ({ url }) => (url.pathname === '/good' && !good() ? 500 : 200) });
  cluster.image(judge, { startsIn: 1000, run: () => (good() ? 0 : 1) });
  await caches(cluster).create(cache({ upgrade: { canary, ...upgrade } }));
  await until(cluster, () => allRun(cluster, 'cache:1'));
  return { cluster, events };
}

async function until(cluster: SimulatedCluster, isTrue: () => boolean): Promise<void> {
  expect(await reaches(cluster, isTrue), JSON.stringify(cacheNow(cluster)?.status)).toBe(true);
}

const upgradeIn = (cluster: SimulatedCluster) => cacheNow(cluster)?.status?.upgrade;
const annotate = (cluster: SimulatedCluster, annotations: object) =>
  caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { annotations } } });
const jobsIn = (cluster: SimulatedCluster): readonly Job[] => cluster.objects.list(jobs, 'default');
const ageOf = (cluster: SimulatedCluster, instant = ''): number => cluster.clock.now() - Date.parse(instant);
const uidOf = (cluster: SimulatedCluster, pod: string) =>
  members(cluster).find(({ metadata }) => metadata.name === pod)?.metadata.uid;

const http = { http: { path: '/good' } } as const;

describe('a canary of a cache', () => {
  test('bakes, passes, and is followed by members that are judged without baking', async () => {
    const { cluster, events } = await settled({ bake: '5m', analysis: http });
    await change(cluster, { image: 'cache:2' });
    await until(cluster, () => upgradeIn(cluster)?.step === 'Baking');
    expect(upgradeIn(cluster)).toMatchObject({
      pod: 'sessions-2',
      blockedBy: expect.stringContaining('has to stay ready'),
    });
    expect(upgradeIn(cluster)).not.toHaveProperty('deadline');
    await cluster.advance(280_000);
    expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:2']);
    const baked = cluster.clock.now();
    await until(cluster, () => allRun(cluster, 'cache:2'));
    expect(cluster.clock.now() - baked).toBeLessThan(120_000);
    await cluster.advance(1000);
    expect(events.filter(({ reason }) => reason === 'CanaryPassed')).toHaveLength(3);
  });

  test('has passed when it has baked, where there is no analysis', async () => {
    const { cluster, events } = await settled({ replicas: 2, bake: '2m' });
    await change(cluster, { image: 'cache:2' });
    await until(cluster, () => images(cluster)[1] === 'cache:2');
    expect(upgradeIn(cluster)?.analysed).toMatchObject([
      { pod: 'sessions-2', result: 'Passed', message: 'sessions-2 stayed ready for 2 minutes' },
    ]);
    await until(cluster, () => upgradeIn(cluster)?.step === 'Baking');
    await cluster.advance(90_000);
    expect(images(cluster)).toEqual(['cache:1', 'cache:2', 'cache:2']);
    await until(cluster, () => allRun(cluster, 'cache:2'));
    await cluster.advance(1000);
    expect(events.filter(({ reason }) => reason === 'CanaryPassed')).toHaveLength(2);
  });

  test.each(['Stop', 'Rollback'] as const)(
    'that fails ends the upgrade with its answer, which is to %s',
    async (onFailure) => {
      const { cluster, events } = await settled(
        { analysis: { ...http, failureThreshold: 2 } },
        { onFailure },
        () => false,
      );
      await change(cluster, { image: 'cache:2' });
      await until(cluster, () => (onFailure === 'Stop' ? failed(cluster) : rolledBack(cluster, 'cache:1')));
      expect(cacheNow(cluster)?.status?.failure).toMatchObject({
        reason: 'AnalysisFailed',
        message: 'the analysis of sessions-2 failed: HTTP 500',
      });
      expect(condition(cluster, 'Degraded')?.message).toContain('HTTP 500');
      await cluster.advance(3_600_000);
      expect(images(cluster)).toEqual(['cache:1', 'cache:1', onFailure === 'Stop' ? 'cache:2' : 'cache:1']);
      expect(events.filter(({ reason }) => reason === 'UpgradeFailed')).toHaveLength(1);
      await change(cluster, { image: 'cache:3', upgrade: { canary: { analysis: { failureThreshold: 3 } } } });
      await until(cluster, () => allRun(cluster, 'cache:3'));
    },
  );

  test('is judged anew where the same is asked for again, with as many noes as are allowed', async () => {
    const answers = [false, false, false];
    const good = () => answers.shift() ?? true;
    const { cluster } = await settled({ analysis: { ...http, failureThreshold: 2 } }, {}, good);
    await change(cluster, { image: 'cache:2' });
    await until(cluster, () => failed(cluster));
    expect(upgradeIn(cluster)?.analysed).toMatchObject([{ pod: 'sessions-2', result: 'Failed', failures: 2 }]);
    await annotate(cluster, { 'ordinal.dev/retry': '1' });
    await until(cluster, () => answers.length === 0 && !failed(cluster));
    await until(cluster, () => allRun(cluster, 'cache:2'));
  });

  test('is judged by a Job of the cache, one for each pod, of which the newest stays', async () => {
    const { cluster } = await settled({ analysis: { job: { image: judge, command: ['judge'] } } });
    await change(cluster, { image: 'cache:2' });
    await until(cluster, () => jobsIn(cluster).length === 1);
    const [job] = jobsIn(cluster);
    expect(job?.metadata).toMatchObject({
      labels: { 'ordinal.dev/purpose': 'Analysis' },
      ownerReferences: [{ kind: 'ClusteredCache', controller: true }],
    });
    expect(job?.spec?.template.spec?.containers[0]?.env).toContainEqual({ name: 'ORDINAL_POD', value: 'sessions-2' });
    await until(cluster, () => allRun(cluster, 'cache:2'));
    await cluster.settle();
    expect(jobsIn(cluster)).toHaveLength(1);
    expect(jobsIn(cluster)[0]?.metadata.uid).not.toBe(job?.metadata.uid);
    expect(cacheNow(cluster)?.status?.hooks).toMatchObject([{ purpose: 'Analysis', result: 'Succeeded' }]);
  });

  test('waits for its promotion for as long as it takes, and goes on when this very version is promoted', async () => {
    const { cluster } = await settled({ promotion: 'Manual', analysis: http }, { progressDeadline: '5m' });
    await change(cluster, { image: 'cache:2' });
    await until(cluster, () => upgradeIn(cluster)?.step === 'AwaitingPromotion');
    await annotate(cluster, { [promoteAnnotation]: 'cache:1' });
    await cluster.advance(86_400_000);
    const { release, blockedBy, revision } = upgradeIn(cluster) ?? {};
    expect(release).toBe(
      `kubectl annotate -n default clusteredcache sessions ordinal.dev/promote=${revision} --overwrite`,
    );
    expect(blockedBy).toContain(`to go back: ordinal.dev/abort=${revision}`);
    expect(images(cluster)).toEqual(['cache:1', 'cache:1', 'cache:2']);
    await annotate(cluster, { [promoteAnnotation]: revision });
    await until(cluster, () => upgradeIn(cluster)?.step !== 'AwaitingPromotion');
    expect(ageOf(cluster, upgradeIn(cluster)?.lastProgressAt)).toBeLessThan(2000);
    await until(cluster, () => allRun(cluster, 'cache:2'));
  });

  test.each(['Stop', 'Rollback'] as const)('is aborted by a user, which is to %s', async (onFailure) => {
    const { cluster } = await settled({ promotion: 'Manual' }, { onFailure });
    await change(cluster, { image: 'cache:2' });
    await until(cluster, () => upgradeIn(cluster)?.step === 'AwaitingPromotion');
    await annotate(cluster, { [abortAnnotation]: 'cache:2' });
    await until(cluster, () => (onFailure === 'Stop' ? failed(cluster) : rolledBack(cluster, 'cache:1')));
    expect(cacheNow(cluster)?.status?.failure).toMatchObject({ reason: 'Aborted' });
    if (onFailure === 'Stop')
      expect(upgradeIn(cluster)?.release).toContain(`sessions ${abortAnnotation}- ordinal.dev/retry=`);
    await annotate(cluster, { [abortAnnotation]: null, [promoteAnnotation]: 'cache:2', 'ordinal.dev/retry': '1' });
    await until(cluster, () => allRun(cluster, 'cache:2'));
  });

  test('that is lost while it waits is judged again, as the pod that it is now', async () => {
    let isGood = true;
    const { cluster } = await settled(
      { promotion: 'Manual', analysis: { ...http, failureThreshold: 1 } },
      {},
      () => isGood,
    );
    await change(cluster, { image: 'cache:2' });
    await until(cluster, () => upgradeIn(cluster)?.step === 'AwaitingPromotion');
    const before = uidOf(cluster, 'sessions-2');
    isGood = false;
    await annotate(cluster, { [promoteAnnotation]: 'cache:3' });
    await cluster.client()(pods).namespace('default').delete('sessions-2');
    await until(cluster, () => failed(cluster));
    expect(upgradeIn(cluster)?.analysed?.at(-1)).toMatchObject({
      result: 'Failed',
      podUID: uidOf(cluster, 'sessions-2'),
    });
    expect(uidOf(cluster, 'sessions-2')).not.toBe(before);
  });

  test('is joined by a member that another client takes down: that one is judged too', async () => {
    const { cluster } = await settled({ promotion: 'Manual', analysis: http });
    await change(cluster, { image: 'cache:2' });
    await until(cluster, () => upgradeIn(cluster)?.step === 'AwaitingPromotion');
    await cluster.client()(pods).namespace('default').delete('sessions-0');
    await until(cluster, () => upgradeIn(cluster)?.analysed?.length === 2);
    await until(cluster, () => upgradeIn(cluster)?.step === 'AwaitingPromotion');
    expect(upgradeIn(cluster)?.analysed?.map(({ pod }) => pod)).toEqual(['sessions-2', 'sessions-0']);
    expect(images(cluster)).toEqual(['cache:2', 'cache:1', 'cache:2']);
  });

  test('does not keep the cache from becoming smaller, and is another one then', async () => {
    const { cluster } = await settled({ promotion: 'Manual' });
    await change(cluster, { image: 'cache:2' });
    await until(cluster, () => upgradeIn(cluster)?.step === 'AwaitingPromotion');
    await change(cluster, { replicas: 2 });
    await until(cluster, () => images(cluster).length === 2 && upgradeIn(cluster)?.step === 'AwaitingPromotion');
    expect(images(cluster)).toEqual(['cache:1', 'cache:2']);
  });

  test('is no canary in a rollback, nor where the cache is made', async () => {
    const { cluster, events } = await settled(
      { analysis: { ...http, failureThreshold: 1 }, bake: '1m' },
      { onFailure: 'Rollback', progressDeadline: '5m' },
    );
    await change(cluster, { image: 'cache:broken' });
    await until(cluster, () => rolledBack(cluster, 'cache:1'));
    await cluster.advance(1000);
    expect(events.filter(({ reason }) => reason === 'CanaryPassed')).toEqual([]);
    expect(said(cluster, 'Available')).toBe('True RolledBack');
  });

  test('that can’t be asked fails at the deadline, and says so', async () => {
    const { cluster } = await settled({ analysis: { exec: { command: ['good'] } } }, { progressDeadline: '5m' });
    cluster.image('cache:3', { startsIn: 2000, http: () => 200, exec: () => new Promise(() => undefined) });
    await change(cluster, { image: 'cache:3' });
    await until(cluster, () => failed(cluster));
    expect(cacheNow(cluster)?.status?.failure).toMatchObject({
      reason: 'ProgressDeadlineExceeded',
      message: expect.stringContaining('Timed out waiting for the analysis on pod sessions-2'),
    });
  });
});
