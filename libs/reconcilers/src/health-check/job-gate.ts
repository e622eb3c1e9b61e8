import type { Instant, Job } from '@ordinal/client';
import { instantOf } from '../decision/index.ts';
import type { Answer } from './check.ts';

/** How long a Job's yes counts, in milliseconds: after it, the Job is run anew. */
export const jobAnswerLifeMs = 5 * 60_000;

/** How long after a no a Job is run anew, in milliseconds. */
export const jobRetryMs = 60_000;

/** What to do about the Job of a gate, and what it says. */
export interface JobAnswer extends Answer {
  /** `create` it, `replace` it by deleting this one first, or leave it. */
  readonly next: 'create' | 'replace' | 'leave';
  readonly lookAgainAt?: Instant;
}

const finished = (job: Job, type: 'Complete' | 'Failed') =>
  job.status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');

/** What a gate's Job says at a moment. `job` is the one of this gate and this pod, where there is one. */
export function answerOfJob(job: Job | undefined, now: Instant): JobAnswer {
  if (!job) return { ok: false, message: 'the Job has not been created yet', next: 'create' };
  const { name, deletionTimestamp } = job.metadata;
  if (deletionTimestamp !== undefined)
    return { ok: false, message: `the Job ${name} is going, to be run anew`, next: 'leave' };
  const complete = finished(job, 'Complete');
  if (complete) {
    const until = (instantOf(complete.lastTransitionTime) ?? now) + jobAnswerLifeMs;
    if (now < until) return { ok: true, message: `the Job ${name} has completed`, next: 'leave' };
    return { ok: false, message: `the Job ${name} completed too long ago`, next: 'replace' };
  }
  const failed = finished(job, 'Failed');
  if (!failed) return { ok: false, message: `the Job ${name} has not finished`, next: 'leave' };
  const until = (instantOf(failed.lastTransitionTime) ?? now) + jobRetryMs;
  const message = `the Job ${name} has failed${failed.message ? `: ${failed.message}` : ''}`;
  return now < until
    ? { ok: false, message, next: 'leave', lookAgainAt: until }
    : { ok: false, message, next: 'replace' };
}
