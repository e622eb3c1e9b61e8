import { timestamp } from '@ordinal/client';
import type { Instant } from '@ordinal/client';
import type { Job, JobCondition } from 'kubernetes-types/batch/v1.js';
import type { Live, LivePod } from '../kinds.ts';

/** How a Job ends: the condition that says so first, the one that stands when all pods have ended, and why. */
export interface JobVerdict {
  readonly first: 'SuccessCriteriaMet' | 'FailureTarget';
  readonly last: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

/** What the verdict depends on. */
export interface JobFacts {
  readonly pods: readonly LivePod[];
  readonly active: readonly LivePod[];
  readonly succeeded: number;
  readonly failed: number;
  readonly now: Instant;
}

/** Whether the Job has come to its end. */
export function isFinished(job: Live<Job>): boolean {
  return (
    job.status?.conditions?.some(
      ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
    ) === true
  );
}

/** Whether the Job is to end, and how; undefined while it goes on. What was decided before stays. */
export function verdictOf(job: Live<Job>, facts: JobFacts): JobVerdict | undefined {
  const { spec, status } = job;
  for (const { type, reason = '', message = '' } of status?.conditions ?? []) {
    if (type === 'FailureTarget') return { first: 'FailureTarget', last: 'Failed', reason, message };
    if (type === 'SuccessCriteriaMet') return { first: 'SuccessCriteriaMet', last: 'Complete', reason, message };
  }
  const failure = (reason: string, message: string): JobVerdict => ({
    first: 'FailureTarget',
    last: 'Failed',
    reason,
    message,
  });
  const limit = spec?.backoffLimit ?? 6;
  if (facts.failed > limit || hasRestartedTooOften(job, facts.pods, limit)) {
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  if (isPastDeadline(job, facts.now)) {
    return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
  }
  const isComplete =
    spec?.completions === undefined
      ? facts.succeeded > 0 && facts.active.length === 0
      : facts.succeeded >= spec.completions;
  if (!isComplete) return undefined;
  return {
    first: 'SuccessCriteriaMet',
    last: 'Complete',
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
  };
}

function isPastDeadline({ spec, status }: Live<Job>, now: Instant): boolean {
  if (spec?.activeDeadlineSeconds === undefined || spec.suspend === true || status?.startTime === undefined)
    return false;
  return Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000 <= now;
}

/** The Job's conditions with its verdict; the last of them only when all of its pods have ended. */
export function withVerdict(
  job: Live<Job>,
  verdict: JobVerdict | undefined,
  { now, allEnded }: { readonly now: Instant; readonly allEnded: boolean },
): readonly JobCondition[] {
  const conditions = [...suspension(job, now)];
  if (verdict === undefined) return conditions;
  const time = timestamp(now);
  const types = allEnded ? [verdict.first, verdict.last] : [verdict.first];
  for (const type of types) {
    if (conditions.some((condition) => condition.type === type)) continue;
    const { reason, message } = verdict;
    conditions.push({ type, status: 'True', lastProbeTime: time, lastTransitionTime: time, reason, message });
  }
  return conditions;
}

function suspension(job: Live<Job>, now: Instant): readonly JobCondition[] {
  const conditions = job.status?.conditions ?? [];
  const before = conditions.find(({ type }) => type === 'Suspended');
  const isSuspended = job.spec?.suspend === true;
  if ((before?.status === 'True') === isSuspended) return conditions;
  const time = timestamp(now);
  const [reason, message] = isSuspended ? ['JobSuspended', 'Job suspended'] : ['JobResumed', 'Job resumed'];
  const condition = {
    type: 'Suspended',
    status: isSuspended ? 'True' : 'False',
    lastProbeTime: time,
    lastTransitionTime: time,
    reason,
    message,
  };
  return [...conditions.filter(({ type }) => type !== 'Suspended'), condition];
}

/** With `OnFailure`, restarts of containers count as failures. */
function hasRestartedTooOften(job: Live<Job>, pods: readonly LivePod[], limit: number): boolean {
  if (job.spec?.template.spec?.restartPolicy !== 'OnFailure') return false;
  const restarts = pods
    .filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending')
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}
