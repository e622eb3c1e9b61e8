import { jobs, pods } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster } from '../../index.ts';
import { create, object, template } from '../../../test/objects.ts';

let cluster: SimulatedCluster;

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ events: false });
});
afterEach(() => cluster.stop());

const job = (spec: Record<string, unknown> = {}, restartPolicy = 'Never') =>
  object('batch/v1 Job', 'backup', { spec: { template: template('backup', 'app:1', { restartPolicy }), ...spec } });
const status = () => cluster.objects.find(jobs, 'default', 'backup')?.status;
const conditions = () => status()?.conditions?.map(({ type, reason }) => `${type}: ${reason ?? ''}`) ?? [];

test('succeeds when enough pods have', async () => {
  await create(cluster, jobs, job({ completions: 3, parallelism: 2 }));
  await cluster.run({ until: () => conditions().length === 2 });
  expect(conditions()).toEqual(['SuccessCriteriaMet: CompletionsReached', 'Complete: CompletionsReached']);
  expect(status()).toMatchObject({ succeeded: 3 });
  expect(status()?.completionTime).toBeDefined();
  expect(cluster.objects.list(pods, 'default').every(({ metadata }) => (metadata.finalizers ?? []).length === 0)).toBe(
    true,
  );
});

test('tries again at growing intervals, and fails beyond its limit', async () => {
  cluster.image('app:1', { run: () => 3 });
  await create(cluster, jobs, job({ backoffLimit: 2 }));
  await cluster.run({ until: () => conditions().includes('Failed: BackoffLimitExceeded') });
  expect(status()).toMatchObject({ failed: 3 });
  const [first = 0, second = 0, third = 0] = cluster.objects
    .list(pods, 'default')
    .map(({ metadata }) => Date.parse(metadata.creationTimestamp))
    .sort();
  expect([Math.round((second - first) / 10_000), Math.round((third - second) / 10_000)]).toEqual([1, 2]);
});

test('is ended at its deadline', async () => {
  cluster.image('app:1', { run: () => new Promise(() => undefined) });
  await create(cluster, jobs, job({ activeDeadlineSeconds: 60 }));
  await cluster.run({ until: () => conditions().includes('Failed: DeadlineExceeded') });
  expect(Math.round((cluster.clock.now() - cluster.startedAt) / 1000)).toBeGreaterThanOrEqual(60);
  expect(cluster.objects.list(pods, 'default')).toEqual([]);
});

test('repeats the container in the pod with OnFailure', async () => {
  cluster.image('app:1', { run: ({ restarts }) => (restarts < 2 ? 1 : 0) });
  await create(cluster, jobs, job({}, 'OnFailure'));
  await cluster.run({ until: () => conditions().includes('Complete: CompletionsReached') });
  expect(cluster.objects.list(pods, 'default')[0]?.status?.containerStatuses?.[0]?.restartCount).toBe(2);
});

test('is removed with its pods when its time is over', async () => {
  await create(cluster, jobs, job({ ttlSecondsAfterFinished: 30 }));
  await cluster.run({ until: () => conditions().length === 2 });
  await cluster.advance(60_000);
  expect(cluster.objects.find(jobs, 'default', 'backup')).toBeUndefined();
  expect(cluster.objects.list(pods, 'default')).toEqual([]);
});
