import { jobs, pods } from '@ordinal/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster } from '../../index.ts';
import { create, object, template } from '../../../test/objects.ts';

let cluster: SimulatedCluster;

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ events: false });
});
afterEach(() => cluster.stop());

const job = (spec: Record<string, unknown>) =>
  object('batch/v1 Job', 'sort', {
    spec: { template: template('sort', 'app:1', { restartPolicy: 'Never' }), completionMode: 'Indexed', ...spec },
  });
const status = () => cluster.objects.find(jobs, 'default', 'sort')?.status;
const last = () =>
  status()
    ?.conditions?.map(({ type, reason }) => `${type}: ${reason ?? ''}`)
    .at(-1);
const ended = () => /^(Complete|Failed)/.test(last() ?? '');
const codeOf = (codes: readonly number[]) => {
  cluster.image('app:1', {
    run: ({ env }) => codes[Number(env['JOB_COMPLETION_INDEX'])] ?? new Promise(() => undefined),
  });
};

test('gives each pod an index, and completes when each index has', async () => {
  codeOf([0, 0, 0]);
  await create(cluster, jobs, job({ completions: 3, parallelism: 2 }));
  await cluster.run({ until: ended });
  expect(last()).toBe('Complete: CompletionsReached');
  expect(status()).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
  const hosts = cluster.objects.list(pods, 'default').map(({ spec }) => spec?.hostname);
  expect(hosts.sort()).toEqual(['sort-0', 'sort-1', 'sort-2']);
});

test('replaces a pod of an index, and only that', async () => {
  codeOf([]);
  await create(cluster, jobs, job({ completions: 2, parallelism: 2 }));
  await cluster.advance(5000);
  const [first] = cluster.objects.list(pods, 'default');
  await cluster
    .client()(pods)
    .namespace('default')
    .delete(first?.metadata.name ?? '');
  await cluster.advance(60_000);
  const indexes = cluster.objects
    .list(pods, 'default')
    .map(({ metadata }) => metadata.labels?.['batch.kubernetes.io/job-completion-index']);
  expect(indexes.sort()).toEqual(['0', '1']);
});

test('tries each index as often as its limit allows', async () => {
  codeOf([0, 1, 0, 1]);
  await create(cluster, jobs, job({ completions: 4, parallelism: 2, backoffLimitPerIndex: 1 }));
  await cluster.run({ until: ended });
  expect(last()).toBe('Failed: FailedIndexes');
  expect(status()).toMatchObject({ failed: 4, succeeded: 2, completedIndexes: '0,2', failedIndexes: '1,3' });
});

test('fails when too many indexes have', async () => {
  codeOf([1, 1, 1, 1]);
  await create(cluster, jobs, job({ completions: 4, backoffLimitPerIndex: 0, maxFailedIndexes: 0 }));
  await cluster.run({ until: ended });
  expect(last()).toBe('Failed: MaxFailedIndexesExceeded');
  expect(status()).toMatchObject({ failed: 1, failedIndexes: '0' });
});

test('fails an index at once where the policy for failed pods says so', async () => {
  codeOf([0, 7]);
  const rules = [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [7] } }];
  await create(
    cluster,
    jobs,
    job({ completions: 2, parallelism: 2, backoffLimitPerIndex: 3, podFailurePolicy: { rules } }),
  );
  await cluster.run({ until: ended });
  expect(status()).toMatchObject({ failed: 1, failedIndexes: '1', completedIndexes: '0' });
});

test('ends with its success policy, and counts no pod that it stops', async () => {
  codeOf([0]);
  await create(
    cluster,
    jobs,
    job({ completions: 4, parallelism: 3, successPolicy: { rules: [{ succeededIndexes: '0' }] } }),
  );
  await cluster.run({ until: ended });
  expect(last()).toBe('Complete: SuccessPolicy');
  expect(status()).toMatchObject({ succeeded: 1, completedIndexes: '0' });
  expect(status()?.failed).toBeUndefined();
});

test('is left alone where another controller manages it', async () => {
  codeOf([0]);
  await create(cluster, jobs, job({ completions: 1, managedBy: 'example.com/mine' }));
  await cluster.advance(60_000);
  expect(status() ?? {}).toEqual({});
  expect(cluster.objects.list(pods, 'default')).toEqual([]);
});
