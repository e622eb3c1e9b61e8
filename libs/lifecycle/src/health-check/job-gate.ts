import type { Instant, Job } from '@ordinal/client';
import { instantOf } from '@ordinal/client';
import type { Answer } from './check.ts';

/** How long a Job's yes counts, in milliseconds: after it, the Job is run again. */
export const jobAnswerLifeMs = 5 * 60_000;

/** How long after a no a Job is run again, in milliseconds. */
export const jobRetryMs = 60_000;

/** How far a clock may be behind that of who asked before the age of an answer counts as unknown, in milliseconds. */
const clockSlackMs = 60_000;

/**
 * How long ago a Job ended, in milliseconds, by the clock of the operator: since it asked, less what the Job took by the cluster's own clocks. By the cluster's clock alone an
 * operator that is an hour ahead would find every answer too old, and run the Job again forever; one that is behind would believe a yes for an hour. Undefined where
 * the Job was asked in the future: the clock was set back since, or is not the one that it was asked by.
 *
 * **Caveats.** That a clock was set back is not noticed where no look was made until it had caught up with the time of the question. An answer counts again
 * then, for as long as its Job is kept (an hour, unless the gate says otherwise).
 */
function ageOf(
  { metadata }: Job,
  ended: { readonly lastTransitionTime?: string },
  { now, askedAtAnnotation }: JobLook,
): number | undefined {
  const endedAt = instantOf(ended.lastTransitionTime) ?? now;
  const created = instantOf(metadata.creationTimestamp) ?? endedAt;
  // A Job of an older operator does not say when it was asked.
  const asked = instantOf(metadata.annotations?.[askedAtAnnotation]) ?? created;
  if (asked > now + clockSlackMs) return undefined;
  return Math.max(0, now - asked - Math.max(0, endedAt - created));
}

/** When a Job is looked at, and where it says when it was asked. */
export interface JobLook {
  readonly now: Instant;
  /** The annotation of a gate's Job that says when it was asked, by the clock of the operator that asks. */
  readonly askedAtAnnotation: string;
}

/** What to do about the Job of a gate, and what it says. */
export interface JobAnswer extends Answer {
  /** `create` it, `replace` it by deleting this one first, or leave it. */
  readonly next: 'create' | 'replace' | 'leave';
  /** It has failed, also where it is about to be run again; or there is no answer of it yet. Absent: it says yes. */
  readonly job?: 'failed' | 'pending';
  readonly lookAgainAt?: Instant;
}

const finished = (job: Job, type: 'Complete' | 'Failed') =>
  job.status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');

const pending = { ok: false, job: 'pending' } as const;

/** What a gate's Job says now. `job` is the one of this gate and this pod, where there is one. A yes of unknown age counts for nothing. */
export function answerOfJob(job: Job | undefined, look: JobLook): JobAnswer {
  const { now } = look;
  if (!job) return { ...pending, message: 'the Job has not been created yet', next: 'create' };
  const { name, deletionTimestamp } = job.metadata;
  if (deletionTimestamp !== undefined)
    return { ...pending, message: `the Job ${name} is being deleted, and runs again`, next: 'leave' };
  const [complete, failed] = [finished(job, 'Complete'), finished(job, 'Failed')];
  if (complete) {
    const age = ageOf(job, complete, look);
    if (age === undefined)
      return { ...pending, message: `the Job ${name} bears a time in the future: it runs again`, next: 'replace' };
    return age < jobAnswerLifeMs
      ? { ok: true, message: `the Job ${name} has completed`, next: 'leave' }
      : { ...pending, message: `the Job ${name} completed too long ago`, next: 'replace' };
  }
  if (!failed) return { ...pending, message: `the Job ${name} has not finished`, next: 'leave' };
  const age = ageOf(job, failed, look) ?? jobRetryMs;
  const message = `the Job ${name} has failed${failed.message ? `: ${failed.message}` : ''}`;
  return age < jobRetryMs
    ? { ok: false, job: 'failed', message, next: 'leave', lookAgainAt: now + jobRetryMs - age }
    : { ok: false, job: 'failed', message, next: 'replace' };
}
