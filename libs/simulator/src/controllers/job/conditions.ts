import { timestamp } from '@ordinal/client';
import type { Instant } from '@ordinal/client';
import type { Job, JobCondition } from 'kubernetes-types/batch/v1.js';
import type { Live, LivePod } from '../kinds.ts';
import { judge } from './failure-policy.ts';
import type { IndexCount } from './indexed.ts';
import { hasFailed } from './pods.ts';
import { satisfiedRule } from './success-policy.ts';

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
  /** Absent where the Job's pods have no indexes. */
  readonly indexes?: IndexCount;
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
  for (const { type, reason = '', message = '' } of job.status?.conditions ?? []) {
    if (type === 'FailureTarget') return { first: 'FailureTarget', last: 'Failed', reason, message };
    if (type === 'SuccessCriteriaMet') return { first: 'SuccessCriteriaMet', last: 'Complete', reason, message };
  }
  return failureOf(job, facts) ?? successOf(job, facts);
}

function failureOf(job: Live<Job>, facts: JobFacts): JobVerdict | undefined {
  const { spec } = job;
  const failure = (reason: string, message: string): JobVerdict => ({
    first: 'FailureTarget',
    last: 'Failed',
    reason,
    message,
  });
  const message = failedByPolicy(job, facts.pods);
  if (message !== undefined) return failure('PodFailurePolicy', message);
  const limit = spec?.backoffLimit ?? 6;
  if (facts.failed > limit || hasRestartedTooOften(job, facts.pods, limit)) {
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  if (isPastDeadline(job, facts.now)) {
    return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
  }
  const { failed, succeeded, completions } = facts.indexes ?? {};
  if (failed === undefined || failed.size === 0) return undefined;
  if (spec?.maxFailedIndexes !== undefined && failed.size > spec.maxFailedIndexes) {
    return failure('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  }
  if (failed.size + (succeeded?.size ?? 0) < (completions ?? 0)) return undefined;
  return failure('FailedIndexes', 'Job has failed indexes');
}

function failedByPolicy({ spec }: Live<Job>, pods: readonly LivePod[]): string | undefined {
  if (spec?.podFailurePolicy === undefined) return undefined;
  for (const pod of pods) {
    const message = hasFailed(pod) ? judge(spec.podFailurePolicy, pod).message : undefined;
    if (message !== undefined) return message;
  }
  return undefined;
}

function successOf(job: Live<Job>, facts: JobFacts): JobVerdict | undefined {
  const { completions } = job.spec ?? {};
  const success = (reason: string, message: string): JobVerdict => ({
    first: 'SuccessCriteriaMet',
    last: 'Complete',
    reason,
    message,
  });
  const rule = facts.indexes === undefined ? undefined : satisfiedRule(job, facts.indexes);
  if (rule !== undefined) return success('SuccessPolicy', `Matched rules at index ${rule}`);
  const isComplete =
    completions === undefined ? facts.succeeded > 0 && facts.active.length === 0 : facts.succeeded >= completions;
  return isComplete ? success('CompletionsReached', 'Reached expected number of succeeded pods') : undefined;
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
