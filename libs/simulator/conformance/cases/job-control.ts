import type { Case, Json, Session } from '../case.ts';
import { job, paths } from './objects.ts';
import { until } from './until.ts';

interface JobPod {
  readonly metadata: {
    readonly name: string;
    readonly generateName: string;
    readonly labels: Json;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly hostname?: string; readonly containers: readonly Json[] };
  readonly status: { readonly phase: string };
}

const indexName = 'batch.kubernetes.io/job-completion-index';
const failuresName = 'batch.kubernetes.io/job-index-failure-count';
const path = '/apis/batch/v1/namespaces/:ns/jobs';

async function podsOf(s: Session): Promise<readonly JobPod[]> {
  const { body } = await s.world.send({ method: 'GET', path: paths.pods.replaceAll(':ns', s.namespace) });
  return (body as { readonly items: readonly JobPod[] }).items;
}

const activeAt = (pods: readonly JobPod[], index: number, failures?: number): JobPod | undefined =>
  pods.find(
    ({ metadata, status }) =>
      status.phase === 'Pending' &&
      metadata.deletionTimestamp === undefined &&
      metadata.annotations?.[indexName] === `${index}` &&
      (failures === undefined || metadata.annotations[failuresName] === `${failures}`),
  );

/** Waits for the pod of an index, and gives it a status as a node would. */
async function end(s: Session, index: number, status: Json, failures?: number): Promise<void> {
  const list = paths.pods;
  await until(s, list, (_, body) => activeAt(body['items'] as readonly JobPod[], index, failures) !== undefined);
  const pod = activeAt(await podsOf(s), index, failures);
  s.record(`the pod of index ${index}`, pod?.metadata.annotations ?? 'none');
  await s.world.send({
    method: 'PATCH',
    path: `${list.replaceAll(':ns', s.namespace)}/${pod?.metadata.name ?? 'none'}/status`,
    body: { status },
    contentType: 'application/merge-patch+json',
  });
}

/** The status of a pod whose container ended long ago, so that no back-off is left. */
const ended = (exitCode: number, more: Json = {}): Json => ({
  phase: exitCode === 0 ? 'Succeeded' : 'Failed',
  containerStatuses: [
    {
      ...{ name: 'main', image: 'task:1', imageID: '', ready: false, restartCount: 0 },
      state: { terminated: { exitCode, finishedAt: '2020-01-01T00:00:00Z' } },
    },
  ],
  ...more,
});

const statusOf = (body: Json): Json => (body as { readonly status?: Json }).status ?? {};

/** Waits until the Job has a condition, and records its status. */
async function concluded(s: Session, type: string): Promise<void> {
  const has = (_: number, body: Json): boolean =>
    ((statusOf(body)['conditions'] ?? []) as readonly Json[]).some((condition) => condition['type'] === type);
  await until(s, `${path}/a`, has);
  const { body } = await s.world.send({ method: 'GET', path: `${path.replaceAll(':ns', s.namespace)}/a` });
  const named = JSON.stringify(statusOf(body as Json)).replaceAll(/a-(\d)-[a-z0-9]{5}/g, 'a-$1-<generated>');
  s.record('status', JSON.parse(named.replaceAll(s.namespace, '<namespace>')));
}

const indexed = (completions: number, spec: Json = {}): Json =>
  job('a', { completionMode: 'Indexed', completions, parallelism: 2, ...spec });

const rules = (...list: readonly Json[]): Json => ({ rules: list });

/** Jobs with indexes and policies: for worlds whose controllers run, and whose pods nothing runs. */
export const jobControlCases: readonly Case[] = [
  {
    name: 'jobs: pods with indexes',
    async body(s) {
      await s.create(path, indexed(3));
      await until(s, paths.pods, (_, body) => (body['items'] as Json[]).length === 2);
      const shown = (await podsOf(s))
        .map(({ metadata, spec }) => ({
          ...{ generateName: metadata.generateName, labels: metadata.labels, annotations: metadata.annotations },
          ...{ hostname: spec.hostname, env: spec.containers.map(({ env }) => env) },
        }))
        .sort((left, right) => left.generateName.localeCompare(right.generateName));
      s.record('pods', shown);
      for (const index of [1, 0, 2]) await end(s, index, ended(0));
      await concluded(s, 'Complete');
    },
  },
  {
    name: 'jobs: an index that fails too often',
    async body(s) {
      await s.create(path, indexed(2, { backoffLimitPerIndex: 1 }));
      await end(s, 0, ended(1), 0);
      await end(s, 0, ended(1), 1);
      await until(s, `${path}/a`, (_, body) => statusOf(body)['failedIndexes'] === '0');
      await end(s, 1, ended(0), 0);
      await concluded(s, 'Failed');
    },
  },
  {
    name: 'jobs: too many indexes that fail',
    async body(s) {
      await s.create(path, indexed(4, { parallelism: 1, backoffLimitPerIndex: 0, maxFailedIndexes: 0 }));
      await end(s, 0, ended(1));
      await concluded(s, 'Failed');
    },
  },
  {
    name: 'jobs: indexes that a success policy asks for',
    async body(s) {
      await s.create(path, indexed(5, { successPolicy: rules({ succeededIndexes: '2-3', succeededCount: 1 }) }));
      await end(s, 0, ended(0));
      await end(s, 2, ended(0));
      await concluded(s, 'Complete');
    },
  },
  {
    name: 'jobs: so many successes as a success policy asks for',
    async body(s) {
      const policy = rules({ succeededIndexes: '4' }, { succeededCount: 1 });
      await s.create(path, indexed(5, { successPolicy: policy }));
      await end(s, 1, ended(0));
      await concluded(s, 'Complete');
    },
  },
  {
    name: 'jobs: a policy for failed pods that fails the Job',
    async body(s) {
      const onExitCodes = { containerName: 'main', operator: 'NotIn', values: [7] };
      await s.create(path, indexed(3, { podFailurePolicy: rules({ action: 'FailJob', onExitCodes }) }));
      await end(s, 1, ended(42));
      await concluded(s, 'Failed');
    },
  },
  {
    name: 'jobs: a policy for failed pods that fails an index, and one that ignores',
    async body(s) {
      const policy = rules(
        { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
        { action: 'FailIndex', onExitCodes: { operator: 'In', values: [3, 5] } },
      );
      await s.create(path, indexed(2, { backoffLimitPerIndex: 1, podFailurePolicy: policy }));
      const conditions = [{ type: 'DisruptionTarget', status: 'True' }];
      await end(s, 1, ended(3, { conditions }), 0);
      await end(s, 1, ended(0), 0);
      await end(s, 0, ended(3), 0);
      await concluded(s, 'Failed');
    },
  },
  {
    name: 'jobs: one that another controller manages',
    async body(s) {
      await s.create(path, job('b', { managedBy: 'example.com/controller' }));
      await s.create(path, indexed(1, { managedBy: 'kubernetes.io/job-controller' }));
      await end(s, 0, ended(0));
      await concluded(s, 'Complete');
      s.record(
        'pods',
        (await podsOf(s)).map(({ metadata }) => metadata.generateName),
      );
      await s.get(`${path}/b`);
    },
  },
];
