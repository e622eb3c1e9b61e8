import type { Job, PodFailurePolicy } from 'kubernetes-types/batch/v1.js';
import type { Container, PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import type { Live, LivePod } from '../kinds.ts';
import { isActive } from '../workload/pods.ts';
import { judge } from './failure-policy.ts';
import { indexName, indexOf, parseIndexes } from './indexes.ts';
import { endOf, hasFailed, isTracked } from './pods.ts';

const failuresName = 'batch.kubernetes.io/job-index-failure-count';
const ignoredFailuresName = 'batch.kubernetes.io/job-index-ignored-failure-count';
const longestPrefix = 58;

/** What has become of a Job's indexes. */
export interface IndexCount {
  readonly completions: number;
  readonly succeeded: ReadonlySet<number>;
  /** Those that failed for good; undefined where the Job has no limit for each index. */
  readonly failed?: ReadonlySet<number>;
  /**
   * The last failed pod of each index that has to be tried again. It is not counted until its replacement is there, which takes the number of failures
   * from it.
   */
  readonly toReplace: ReadonlyMap<number, LivePod>;
}

/** Whether each pod of the Job has an index. */
export const isIndexed = ({ spec }: Live<Job>): boolean => spec?.completionMode === 'Indexed';

/** The pod's index, where it is one of the Job's. */
export function ownIndex({ spec }: Live<Job>, pod: LivePod): number | undefined {
  const index = indexOf(pod);
  return index !== undefined && index < (spec?.completions ?? 0) ? index : undefined;
}

/** What its status and its pods say about a Job's indexes; undefined where it has none. */
export function countIndexes(job: Live<Job>, pods: readonly LivePod[]): IndexCount | undefined {
  if (!isIndexed(job)) return undefined;
  const { completions = 0, backoffLimitPerIndex: limit, podFailurePolicy } = job.spec ?? {};
  const succeeded = parseIndexes(job.status?.completedIndexes, completions);
  const failed = parseIndexes(job.status?.failedIndexes, completions);
  const tracked = pods.filter(isTracked);
  const add = (indexes: Set<number>, pod: LivePod) => {
    const index = ownIndex(job, pod);
    if (index !== undefined) indexes.add(index);
  };
  for (const pod of tracked) if (pod.status?.phase === 'Succeeded') add(succeeded, pod);
  if (limit === undefined) return { completions, succeeded, toReplace: new Map() };
  for (const pod of tracked) if (failsIndex(pod, limit, podFailurePolicy)) add(failed, pod);
  const done = new Set([...succeeded, ...failed, ...pods.filter(isActive).map(indexOf)]);
  const toReplace = new Map<number, LivePod>();
  for (const pod of tracked.filter(hasFailed)) {
    const index = ownIndex(job, pod);
    if (index === undefined || done.has(index)) continue;
    const other = toReplace.get(index);
    if (other === undefined || (allFailures(other) <= allFailures(pod) && endOf(other) <= endOf(pod)))
      toReplace.set(index, pod);
  }
  return { completions, succeeded, failed, toReplace };
}

function failsIndex(pod: LivePod, limit: number, policy: PodFailurePolicy | undefined): boolean {
  if (!hasFailed(pod)) return false;
  const { action, counts } = judge(policy, pod);
  return action === 'FailIndex' || (counts && numberIn(pod, failuresName) >= limit);
}

const numberIn = ({ metadata }: LivePod, annotation: string): number => {
  const text = metadata.annotations?.[annotation] ?? '';
  return /^\d+$/.test(text) ? Number(text) : 0;
};

/** How often the index had failed before this pod, failures that do not count included. */
export const allFailures = (pod: LivePod): number => numberIn(pod, failuresName) + numberIn(pod, ignoredFailuresName);

/** The first indexes that have to run and have no pod. Those of `leaving` pods wait. */
export function pendingIndexes(
  { completions, succeeded, failed }: IndexCount,
  {
    active,
    leaving,
    count,
  }: { readonly active: readonly LivePod[]; readonly leaving: readonly LivePod[]; readonly count: number },
): number[] {
  const taken = new Set([...active, ...leaving].map(indexOf));
  const pending: number[] = [];
  for (let index = 0; index < completions && pending.length < count; index += 1)
    if (!taken.has(index) && !succeeded.has(index) && failed?.has(index) !== true) pending.push(index);
  return pending;
}

/** Active pods that may not be there: without an index, with one that is none of the Job's, or with one that an older pod has. */
export function strayPods(job: Live<Job>, active: readonly LivePod[]): readonly LivePod[] {
  const seen = new Set<number>();
  return active.filter((pod) => {
    const index = ownIndex(job, pod);
    if (index === undefined || seen.has(index)) return true;
    seen.add(index);
    return false;
  });
}

/** The template of the pod of an index, and what its name begins with. */
export function templateAt(
  job: Live<Job>,
  index: number,
  replaced: LivePod | undefined,
): { readonly template: PodTemplateSpec; readonly generateName: string } {
  const { template } = job.spec ?? {};
  const { name } = job.metadata;
  const suffix = `-${index}-`;
  const podSpec = { ...template?.spec, containers: (template?.spec?.containers ?? []).map(withIndexVariable) };
  return {
    generateName: `${name.slice(0, longestPrefix - suffix.length)}${suffix}`,
    template: {
      metadata: {
        ...template?.metadata,
        labels: { ...template?.metadata?.labels, [indexName]: `${index}` },
        annotations: { ...template?.metadata?.annotations, [indexName]: `${index}`, ...failureCounts(job, replaced) },
      },
      spec: {
        ...podSpec,
        ...(podSpec.initContainers && { initContainers: podSpec.initContainers.map(withIndexVariable) }),
        hostname: `${name}-${index}`,
      },
    },
  };
}

function failureCounts({ spec }: Live<Job>, replaced: LivePod | undefined): Readonly<Record<string, string>> {
  if (spec?.backoffLimitPerIndex === undefined) return {};
  if (replaced === undefined) return { [failuresName]: '0' };
  const { counts } = judge(spec.podFailurePolicy, replaced);
  const ignored = numberIn(replaced, ignoredFailuresName) + (counts ? 0 : 1);
  return {
    [failuresName]: `${numberIn(replaced, failuresName) + (counts ? 1 : 0)}`,
    ...(ignored > 0 && { [ignoredFailuresName]: `${ignored}` }),
  };
}

function withIndexVariable(container: Container): Container {
  const name = 'JOB_COMPLETION_INDEX';
  const { env = [] } = container;
  if (env.some((variable) => variable.name === name)) return container;
  return {
    ...container,
    env: [...env, { name, valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexName}']` } } }],
  };
}
