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
import { deletePods, isActive, podFromTemplate } from '../workload/pods.ts';
import type { JobVerdict } from './conditions.ts';
import { isFinished, verdictOf, withVerdict } from './conditions.ts';

type LiveJob = Live<Job>;

const trackingFinalizer = 'batch.kubernetes.io/job-tracking';
const firstBackoffMs = 10_000;
const lastBackoffMs = 600_000;

/** The Job controller, for Jobs without indexes: parallel pods, back-off, deadline, suspension, and removal after a time. */
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
    if (job.spec?.completionMode === 'Indexed') {
      context.event(job, 'Warning', ['UnknownCompletionMode', 'The simulated cluster runs no indexed Jobs']);
      return undefined;
    }
    return yield* sync(job, context);
  },
};

/** What a look at a job and its pods has shown. */
interface JobCount {
  readonly pods: readonly LivePod[];
  readonly active: readonly LivePod[];
  /** Pods that have ended and are not counted yet. */
  readonly fresh: readonly LivePod[];
  readonly succeeded: number;
  readonly failed: number;
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
  if (verdict !== undefined || isSuspended) adjustment = yield* keep(0, count.active, context);
  else if (!isTerminating(job)) adjustment = yield* adjust(started, count, context);
  const { active, wait, failures = [] } = adjustment;
  writeStatus(started, { count, active, verdict: active.length === 0 ? verdict : undefined }, context);
  for (const pod of count.fresh) removeTracking(pod, context);
  if (failures.length > 0) throw failures[0];
  return earliest(wait, deadlineIn(started, now));
}

/** The Job's pods. One that it adopts is counted when it ends, as its own are; one that it releases is not. */
function claimPods(job: LiveJob, { store }: ControllerContext): readonly LivePod[] {
  const fits = selectedBy(job.spec?.selector);
  const pods = store.list<Pod>(kinds.pod, job.metadata.namespace);
  return claimed<Pod>(pods, { kind: kinds.pod, owner: job, fits, finalizer: trackingFinalizer }, store);
}

function countPods(job: LiveJob, context: ControllerContext): JobCount {
  const pods = claimPods(job, context);
  const fresh = pods.filter((pod) => isTracked(pod) && (hasEnded(pod) || isGone(pod)));
  const succeeded = fresh.filter(({ status }) => status?.phase === 'Succeeded').length;
  return {
    pods,
    active: pods.filter(isActive),
    fresh,
    succeeded: (job.status?.succeeded ?? 0) + succeeded,
    failed: (job.status?.failed ?? 0) + fresh.length - succeeded,
  };
}

const isTracked = ({ metadata }: LivePod): boolean => metadata.finalizers?.includes(trackingFinalizer) === true;
const hasEnded = ({ status }: LivePod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';
/** Deleted before it ever ran to its end: its end is never reported. */
const isGone = (pod: LivePod): boolean => isTerminating(pod) && pod.metadata.deletionGracePeriodSeconds === 0;

/** What came of creating or deleting pods. */
interface Adjustment {
  readonly active: readonly LivePod[];
  /** When to look again, in milliseconds. */
  readonly wait?: number;
  /** What was thrown where pods were to be deleted. */
  readonly failures?: readonly unknown[];
}

function* adjust(job: LiveJob, count: JobCount, context: ControllerContext): Work<Adjustment> {
  const { store, event, clock } = context;
  const parallelism = job.spec?.parallelism ?? 1;
  const completions = job.spec?.completions;
  const left =
    completions === undefined
      ? count.succeeded > 0
        ? count.active.length
        : parallelism
      : completions - count.succeeded;
  const wanted = Math.max(0, Math.min(parallelism, left));
  if (count.active.length > wanted) return yield* keep(wanted, count.active, context);
  // A replacement starts when the pod before it is really gone, where the Job asks for that.
  const leaving = count.pods.filter((pod) => isTerminating(pod) && !hasEnded(pod)).length;
  const missing = wanted - count.active.length - (job.spec?.podReplacementPolicy === 'Failed' ? leaving : 0);
  if (missing <= 0) return { active: count.active };
  const wait = backoffMs(count.pods, clock.now());
  if (wait > 0) return { active: count.active, wait };
  const created: LivePod[] = [];
  for (let number = 0; number < missing; number += 1) {
    const draft = podFromTemplate(job, job.spec?.template);
    const finalizers = [...(draft.metadata.finalizers ?? []), trackingFinalizer];
    const pod = store.create<Pod>(kinds.pod, { ...draft, metadata: { ...draft.metadata, finalizers } });
    event(job, 'Normal', ['SuccessfulCreate', `Created pod: ${pod.metadata.name}`]);
    created.push(pod);
  }
  return { active: [...count.active, ...created] };
}

/** How long until the next pod may be created: twice as long after each failure since the last success. */
function backoffMs(pods: readonly LivePod[], now: Instant): number {
  const endOf = (pod: LivePod): number => {
    const ends = (pod.status?.containerStatuses ?? []).map(({ state }) =>
      Date.parse(state?.terminated?.finishedAt ?? ''),
    );
    const known = ends.filter((end) => Number.isFinite(end));
    return known.length > 0
      ? Math.max(...known)
      : Date.parse(pod.metadata.deletionTimestamp ?? pod.metadata.creationTimestamp);
  };
  const ended = pods.filter(hasEnded).sort((left, right) => endOf(left) - endOf(right));
  const lastSuccess = ended.findLastIndex(({ status }) => status?.phase === 'Succeeded');
  const failures = ended.slice(lastSuccess + 1);
  const last = failures.at(-1);
  if (last === undefined) return 0;
  return Math.max(0, endOf(last) + Math.min(firstBackoffMs * 2 ** (failures.length - 1), lastBackoffMs) - now);
}

/** Deletes all pods but the first ones. Where a deletion fails, all of them count as active until the next try, so there is no verdict. */
function* keep(wanted: number, active: readonly LivePod[], { store }: ControllerContext): Work<Adjustment> {
  const failures = yield* deletePods(store, active.slice(wanted));
  return { active: failures.length === 0 ? active.slice(0, wanted) : active, failures };
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
    ...(count.failed > 0 && { failed: count.failed }),
  };
  if (status.active === 0) delete status.active;
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

/** Removes a finished Job when its time is over. */
function* expire(job: LiveJob, context: ControllerContext): Work<number | undefined> {
  for (const pod of context.store.list<Pod>(kinds.pod, job.metadata.namespace))
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
