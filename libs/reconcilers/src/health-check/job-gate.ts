import type { Instant, Job } from '@ordinal/client';
import { instantOf, isOver } from '../decision/index.ts';
import type { Answer } from './check.ts';

/** How long a Job's yes counts, in milliseconds: after it, the Job is run anew. */
export const jobAnswerLifeMs = 5 * 60_000;

/** How long after a no a Job is run anew, in milliseconds. */
export const jobRetryMs = 60_000;

/** The annotation of a gate's Job that says when it was asked, by the clock of the operator that asks. */
export const askedAtAnnotation = 'ordinal.dev/asked-at';

/**
 * A moment in the life of a Job, by the clock of the operator that made it: when it was asked, and how long it took by the cluster's own clock. An operator whose clock
 * is an hour ahead would else find every answer too old, and run the Job anew for ever; one whose clock is behind would believe a yes for an hour. By the cluster's clock
 * where it is not known when the Job was asked.
 */
function byOurClock({ metadata }: Job, moment: Instant): Instant {
  const asked = instantOf(metadata.annotations?.[askedAtAnnotation]);
  const created = instantOf(metadata.creationTimestamp);
  return asked === undefined || created === undefined ? moment : asked + (moment - created);
}

/** What to do about the Job of a gate, and what it says. */
export interface JobAnswer extends Answer {
  /** `create` it, `replace` it by deleting this one first, or leave it. */
  readonly next: 'create' | 'replace' | 'leave';
  readonly lookAgainAt?: Instant;
}

const finished = (job: Job, type: 'Complete' | 'Failed') =>
  job.status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');

/**
 * What a gate's Job says at a moment. `job` is the one of this gate and this pod, where there is one. An answer that lies further in the future than
 * it may count tells that the clock was set back since: nobody knows how old it is, and it counts for nothing.
 */
export function answerOfJob(job: Job | undefined, now: Instant): JobAnswer {
  if (!job) return { ok: false, message: 'the Job has not been created yet', next: 'create' };
  const { name, deletionTimestamp } = job.metadata;
  if (deletionTimestamp !== undefined)
    return { ok: false, message: `the Job ${name} is going, to be run anew`, next: 'leave' };
  const endedAt = (ended: { readonly lastTransitionTime?: string }): Instant =>
    byOurClock(job, instantOf(ended.lastTransitionTime) ?? now);
  const complete = finished(job, 'Complete');
  if (complete && isOver(endedAt(complete), jobAnswerLifeMs, now))
    return { ok: false, message: `the Job ${name} completed too long ago`, next: 'replace' };
  if (complete) return { ok: true, message: `the Job ${name} has completed`, next: 'leave' };
  const failed = finished(job, 'Failed');
  if (!failed) return { ok: false, message: `the Job ${name} has not finished`, next: 'leave' };
  const message = `the Job ${name} has failed${failed.message ? `: ${failed.message}` : ''}`;
  return isOver(endedAt(failed), jobRetryMs, now)
    ? { ok: false, message, next: 'replace' }
    : { ok: false, message, next: 'leave', lookAgainAt: endedAt(failed) + jobRetryMs };
}
