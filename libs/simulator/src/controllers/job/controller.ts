import { controllerOf, timestamp } from '@ordinal/client';
import type { Instant } from '@ordinal/client';
import type { Job, JobStatus } from 'kubernetes-types/batch/v1.js';
import type { Pod } from 'kubernetes-types/core/v1.js';
import type { Work } from '../../scheduler/work.ts';
import { claimed, itsControllerOrSuitors } from '../claim.ts';
import type { ControllerContext, ControllerDefinition } from '../controller.ts';
import { deleteObject, itself } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { Live, LivePod } from '../kinds.ts';
import { isTerminating } from '../owner.ts';
import { isPodReady } from '../pod-condition.ts';
import { selectedBy } from '../selector.ts';
import type { Draft } from '../store.ts';
import { deletePods, isActive, podFromTemplate } from '../workload/pods.ts';
import type { JobVerdict } from './conditions.ts';
import { isFinished, verdictOf, withVerdict } from './conditions.ts';
import { judge } from './failure-policy.ts';
import type { IndexCount } from './indexed.ts';
import { allFailures, countIndexes, isIndexed, ownIndex, pendingIndexes, strayPods, templateAt } from './indexed.ts';
import { formatIndexes } from './indexes.ts';
import { endOf, hasEnded, hasFailed, isTracked, trackingFinalizer } from './pods.ts';

type LiveJob = Live<Job>;

const firstBackoffMs = 10_000;
const lastBackoffMs = 600_000;

/** The Job controller: parallel pods, with indexes or without, back-off, policies, deadline, suspension, and removal after a time. */
export const jobController: ControllerDefinition = {
  name: 'job-controller',
  watches: [
    { kind: kinds.job, keys: itself },
    { kind: kinds.pod, keys: itsControllerOrSuitors(kinds.job) },
  ],
  *reconcile({ namespace, name }, context) {
    const job = context.store.find<Job>(kinds.job, namespace, name);
    if (job === undefined) return releaseOrphans(namespace, name, context);
    if (isFinished(job)) return yield* expire(job, context);
    if (isManagedElsewhere(job)) return undefined;
    return yield* sync(job, context);
  },
};

/** Whether another controller takes care of the Job and its pods. */
const isManagedElsewhere = ({ spec }: LiveJob): boolean =>
  spec?.managedBy !== undefined && spec.managedBy !== 'kubernetes.io/job-controller';

/** What a look at a job and its pods has shown. */
interface JobCount {
  readonly pods: readonly LivePod[];
  readonly active: readonly LivePod[];
  /** Pods that have ended and are not counted yet. */
  readonly fresh: readonly LivePod[];
  readonly succeeded: number;
  readonly failed: number;
  /** Absent where pods have no indexes. */
  readonly indexes?: IndexCount;
}

function* sync(job: LiveJob, context: ControllerContext): Work<number | undefined> {
  const { clock } = context;
  const now = clock.now();
  const isSuspended = job.spec?.suspend === true;
  const startTime = job.status?.startTime ?? (isSuspended ? undefined : timestamp(now));
  const started: LiveJob = { ...job, status: { ...job.status, ...(startTime !== undefined && { startTime }) } };
  const count = countPods(started, context);
  const verdict = verdictOf(started, { ...count, now });
  let adjustment: Adjustment = { active: count.active };
  if (verdict !== undefined || isSuspended) {
    adjustment = yield* end(count.active, count.active, { context, counts: verdict?.last === 'Failed' });
  } else if (!isTerminating(job)) adjustment = yield* adjust(started, count, context);
  const { active, wait, failures = [] } = adjustment;
  const reached = active.length === 0 ? verdict : undefined;
  const held = new Set<LivePod>(reached === undefined ? count.indexes?.toReplace.values() : []);
  writeStatus(started, { count: without(count, held, job), active, verdict: reached }, context);
  for (const pod of count.fresh) if (!held.has(pod)) removeTracking(pod, context);
  if (failures.length > 0) throw failures[0];
  return earliest(wait, deadlineIn(started, now));
}

/** The count without pods that are not to be counted yet. */
const without = (count: JobCount, held: ReadonlySet<LivePod>, job: LiveJob): JobCount => ({
  ...count,
  failed: count.failed - [...held].filter((pod) => countsAsFailed(job, pod)).length,
});

/** Whether a pod that failed is one of the failures that the Job's status counts. */
const countsAsFailed = (job: LiveJob, pod: LivePod): boolean =>
  hasFailed(pod) &&
  (!isIndexed(job) || ownIndex(job, pod) !== undefined) &&
  judge(job.spec?.podFailurePolicy, pod).counts;

/** The Job's pods. One that it adopts is counted when it ends, as its own are; one that it releases is not. */
function claimPods(job: LiveJob, { store }: ControllerContext): readonly LivePod[] {
  const fits = selectedBy(job.spec?.selector);
  const pods = store.list<Pod>(kinds.pod, job.metadata.namespace);
  return claimed<Pod>(pods, { kind: kinds.pod, owner: job, fits, finalizer: trackingFinalizer }, store);
}

function countPods(job: LiveJob, context: ControllerContext): JobCount {
  const pods = claimPods(job, context);
  const fresh = pods.filter((pod) => isTracked(pod) && (hasEnded(pod) || hasFailed(pod)));
  const succeeded = fresh.filter(({ status }) => status?.phase === 'Succeeded').length;
  const indexes = countIndexes(job, pods);
  return {
    pods,
    active: pods.filter(isActive),
    fresh,
    succeeded: indexes?.succeeded.size ?? (job.status?.succeeded ?? 0) + succeeded,
    failed: (job.status?.failed ?? 0) + fresh.filter((pod) => countsAsFailed(job, pod)).length,
    ...(indexes && { indexes }),
  };
}

/** What came of creating or deleting pods. */
interface Adjustment {
  readonly active: readonly LivePod[];
  /** When to look again, in milliseconds. */
  readonly wait?: number;
  /** What was thrown where pods were to be deleted. */
  readonly failures?: readonly unknown[];
}

function* adjust(job: LiveJob, count: JobCount, context: ControllerContext): Work<Adjustment> {
  const wanted = wantedPods(job, count);
  const surplus = surplusPods(job, count.active, wanted);
  if (surplus.length > 0) return yield* end(surplus, count.active, { context, counts: false });
  // A replacement starts when the pod before it is really gone, where the Job asks for that.
  const waits = job.spec?.podReplacementPolicy === 'Failed' || job.spec?.podFailurePolicy !== undefined;
  const leaving = waits ? count.pods.filter((pod) => isTerminating(pod) && !hasEnded(pod)) : [];
  const missing = wanted - count.active.length - leaving.length;
  if (missing <= 0) return { active: count.active };
  const next = nextPods(job, count, { missing, leaving, now: context.clock.now() });
  const created = next.pods.map((draft) => createPod(job, draft, context));
  return { active: [...count.active, ...created], ...(next.wait !== undefined && { wait: next.wait }) };
}

function wantedPods({ spec }: LiveJob, { succeeded, active }: JobCount): number {
  const parallelism = spec?.parallelism ?? 1;
  if (spec?.completions !== undefined) return Math.max(0, Math.min(parallelism, spec.completions - succeeded));
  return succeeded > 0 ? Math.min(parallelism, active.length) : parallelism;
}

/** The pods that have to go: those that may not be there, and the last of the others beyond the number that is wanted. */
function surplusPods(job: LiveJob, active: readonly LivePod[], wanted: number): readonly LivePod[] {
  const strays = isIndexed(job) ? strayPods(job, active) : [];
  const others = strays.length === 0 ? active : active.filter((pod) => !strays.includes(pod));
  const excess = active.length - wanted - strays.length;
  return excess <= 0 ? strays : [...strays, ...others.slice(-excess)];
}

/** The pods to create now, or else how long until the next of them may be. */
interface NextPods {
  readonly pods: readonly Draft<Pod>[];
  readonly wait?: number;
}

function nextPods(
  job: LiveJob,
  { pods, active, indexes }: JobCount,
  want: { readonly missing: number; readonly leaving: readonly LivePod[]; readonly now: Instant },
): NextPods {
  if (job.spec?.backoffLimitPerIndex === undefined) {
    const wait = backoffMs(pods, want.now);
    if (wait > 0) return { pods: [], wait };
  }
  if (indexes === undefined)
    return { pods: Array.from({ length: want.missing }, () => podFromTemplate(job, job.spec?.template)) };
  const pending = pendingIndexes(indexes, { active, leaving: want.leaving, count: want.missing });
  const waits = pending.map((index) => indexBackoffMs(indexes.toReplace.get(index), want.now));
  const now = pending.filter((_, position) => waits[position] === 0);
  if (now.length === 0) return { pods: [], ...(waits.length > 0 && { wait: Math.min(...waits) }) };
  return { pods: now.map((index) => podAt(job, index, indexes.toReplace.get(index))) };
}

function podAt(job: LiveJob, index: number, replaced: LivePod | undefined): Draft<Pod> {
  const { template, generateName } = templateAt(job, index, replaced);
  const draft = podFromTemplate(job, template);
  return { ...draft, metadata: { ...draft.metadata, generateName } };
}

function createPod(job: LiveJob, draft: Draft<Pod>, { store, event }: ControllerContext): LivePod {
  const finalizers = [...(draft.metadata.finalizers ?? []), trackingFinalizer];
  const pod = store.create<Pod>(kinds.pod, { ...draft, metadata: { ...draft.metadata, finalizers } });
  event(job, 'Normal', ['SuccessfulCreate', `Created pod: ${pod.metadata.name}`]);
  return pod;
}

/** How long until the next pod may be created: twice as long after each failure since the last success. */
function backoffMs(pods: readonly LivePod[], now: Instant): number {
  const ended = pods.filter(hasEnded).sort((left, right) => endOf(left) - endOf(right));
  const lastSuccess = ended.findLastIndex(({ status }) => status?.phase === 'Succeeded');
  const failures = ended.slice(lastSuccess + 1);
  const last = failures.at(-1);
  return last === undefined ? 0 : backoffAfter(failures.length, endOf(last), now);
}

/** How long until the index of a failed pod may be tried again. */
const indexBackoffMs = (failed: LivePod | undefined, now: Instant): number =>
  failed === undefined ? 0 : backoffAfter(allFailures(failed) + 1, endOf(failed), now);

const backoffAfter = (failures: number, end: Instant, now: Instant): number =>
  Math.max(0, end + Math.min(firstBackoffMs * 2 ** (failures - 1), lastBackoffMs) - now);

/**
 * Deletes pods. Where a deletion fails, all of them count as active until the next try, so there is no verdict. Only a Job that fails counts pods that
 * were ended so.
 */
function* end(
  pods: readonly LivePod[],
  active: readonly LivePod[],
  { context, counts }: { readonly context: ControllerContext; readonly counts: boolean },
): Work<Adjustment> {
  const failures = yield* deletePods(context.store, pods);
  if (failures.length > 0) return { active, failures };
  if (!counts) for (const pod of pods) removeTracking(pod, context);
  return { active: active.filter((pod) => !pods.includes(pod)) };
}

function removeTracking(pod: LivePod, { store }: ControllerContext): void {
  const current = store.find<Pod>(kinds.pod, pod.metadata.namespace ?? '', pod.metadata.name);
  if (current?.metadata.uid !== pod.metadata.uid) return;
  const finalizers = (current.metadata.finalizers ?? []).filter((name) => name !== trackingFinalizer);
  store.update<Pod>(kinds.pod, { ...current, metadata: { ...current.metadata, finalizers } });
}

/** A Job that is gone counts no pods any more. */
function releaseOrphans(namespace: string, name: string, context: ControllerContext): undefined {
  for (const pod of context.store.list<Pod>(kinds.pod, namespace)) {
    const isOurs =
      pod.metadata.ownerReferences?.some(({ kind, name: owner }) => kind === 'Job' && owner === name) === true;
    if (isOurs && isTracked(pod)) removeTracking(pod, context);
  }
  return undefined;
}

interface Outcome {
  readonly count: JobCount;
  readonly active: readonly LivePod[];
  readonly verdict: JobVerdict | undefined;
}

function writeStatus(job: LiveJob, { count, active, verdict }: Outcome, { store, clock }: ControllerContext): void {
  const terminating =
    count.pods.filter((pod) => isTerminating(pod) && !hasEnded(pod)).length +
    (count.active.length - active.filter((pod) => count.active.includes(pod)).length);
  const status: JobStatus = {
    ...job.status,
    active: active.length,
    ready: active.filter(isPodReady).length,
    terminating,
    uncountedTerminatedPods: {},
    ...(count.succeeded > 0 && { succeeded: count.succeeded }),
    ...indexStatus(count.indexes),
    ...(count.failed > 0 && { failed: count.failed }),
  };
  if (status.active === 0) delete status.active;
  if (count.succeeded === 0) delete status.succeeded;
  if (status.completedIndexes === '') delete status.completedIndexes;
  const conditions = withVerdict(job, verdict, {
    now: clock.now(),
    allEnded: active.length === 0 && terminating === 0,
  });
  const isComplete = conditions.some(({ type, status: value }) => type === 'Complete' && value === 'True');
  const next: JobStatus = {
    ...status,
    ...(conditions.length > 0 && { conditions: [...conditions] }),
    ...(isComplete && { completionTime: timestamp(clock.now()) }),
  };
  const stored = store.find<Job>(kinds.job, job.metadata.namespace ?? '', job.metadata.name);
  // While a webhook was asked, another Job may have taken this one's name. What else has changed is a conflict, and is looked at again.
  if (stored?.metadata.uid !== job.metadata.uid || JSON.stringify(next) === JSON.stringify(stored.status)) return;
  store.updateStatus<Job>(kinds.job, { ...job, status: next });
}

const indexStatus = (indexes: IndexCount | undefined): Pick<JobStatus, 'completedIndexes' | 'failedIndexes'> =>
  indexes === undefined
    ? {}
    : {
        completedIndexes: formatIndexes(indexes.succeeded),
        ...(indexes.failed && { failedIndexes: formatIndexes(indexes.failed) }),
      };

/** Removes a finished Job when its time is over. */
function* expire(job: LiveJob, context: ControllerContext): Work<number | undefined> {
  const own = isManagedElsewhere(job) ? [] : context.store.list<Pod>(kinds.pod, job.metadata.namespace);
  for (const pod of own)
    if (controllerOf(pod)?.uid === job.metadata.uid && isTracked(pod) && hasEnded(pod)) removeTracking(pod, context);
  const seconds = job.spec?.ttlSecondsAfterFinished;
  const finished = job.status?.conditions?.find(
    ({ type }) => type === 'Complete' || type === 'Failed',
  )?.lastTransitionTime;
  if (seconds === undefined || finished === undefined || isTerminating(job)) return undefined;
  const left = Date.parse(finished) + seconds * 1000 - context.clock.now();
  if (left > 0) return left;
  const { uid } = job.metadata;
  yield* deleteObject(context.store, [kinds.job, job], { uid, propagationPolicy: 'Foreground' });
  return undefined;
}

function deadlineIn(job: LiveJob, now: Instant): number | undefined {
  const { activeDeadlineSeconds, suspend } = job.spec ?? {};
  if (activeDeadlineSeconds === undefined || suspend === true || job.status?.startTime === undefined) return undefined;
  const left = Date.parse(job.status.startTime) + activeDeadlineSeconds * 1000 - now;
  return left > 0 ? left : undefined;
}

function earliest(...waits: readonly (number | undefined)[]): number | undefined {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
