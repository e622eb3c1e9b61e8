import type { Instant, Job } from '@ordinal/client';
import { instantOf } from '@ordinal/client';

/** What is known of a Job that a lifecycle step waits for, kept in the resource's status so that it outlives the Job. */
export interface TaskRecord {
  readonly purpose: string;
  /** What exactly it was run for. Another subject is another Job. */
  readonly subject: string;
  readonly job: string;
  /** The UID of the Job that has ended or, where none but the operator's own counts, of the one that is at work. */
  readonly jobUID?: string;
  /** Absent while it runs. */
  readonly result?: 'Succeeded' | 'Failed';
  /** Its last lines, bounded and without secrets. */
  readonly message?: string;
  /** For a backup, where it is: the last line of a Job that succeeded. */
  readonly location?: string;
  readonly startedAt?: string;
  /** When it had succeeded, by the cluster's clock; or when it was seen to have failed, by the operator's. */
  readonly finishedAt?: string;
  /** How often it was run for this subject. */
  readonly attempts?: number;
  /** A hash of what the Job was made from. */
  readonly definition?: string;
  /** It has failed and is run again as soon as its Job is gone, whatever the pause between two tries. */
  readonly again?: boolean;
  /** What it was run for has happened: the next time, it is run again. */
  readonly spent?: boolean;
}

/** Whether a task has failed and that is not recorded yet: a failure is reported and counted with the write that records it, and never again. */
export function failsNow(before: TaskRecord | undefined, { result, subject, attempts }: TaskRecord): boolean {
  const isRecorded = before?.result === 'Failed' && before.subject === subject && before.attempts === attempts;
  return result === 'Failed' && !isRecorded;
}

/** How a Job ended, or that it has not. */
export type JobState =
  | { readonly state: 'Missing' }
  | { readonly state: 'Running' }
  /** It is being deleted: nothing of the same name can be made yet. */
  | { readonly state: 'Going' }
  | { readonly state: 'Succeeded' | 'Failed'; readonly at: Instant; readonly message: string };

/** Whether a Job says how it ended. One that is being deleted has not, until it says so or is gone. */
export function hasEnded(job: Job, now: Instant): boolean {
  return ['Succeeded', 'Failed'].includes(jobState(job, now).state);
}

/** Reads a Job's conditions. A Job is finished when it says `Complete` or `Failed`, and not before all of its pods have ended. */
export function jobState(job: Job | undefined, now: Instant): JobState {
  if (job === undefined) return { state: 'Missing' };
  const condition = (type: string) =>
    job.status?.conditions?.find((candidate) => candidate.type === type && candidate.status === 'True');
  const complete = condition('Complete');
  if (complete) return { state: 'Succeeded', at: instantOf(complete.lastTransitionTime) ?? now, message: '' };
  const failed = condition('Failed');
  if (failed) {
    const message = [failed.reason, failed.message].filter((part) => part !== undefined && part !== '').join(': ');
    return { state: 'Failed', at: instantOf(failed.lastTransitionTime) ?? now, message };
  }
  return { state: job.metadata.deletionTimestamp === undefined ? 'Running' : 'Going' };
}

/** The records with those of these steps in them, one for each purpose. Pure. */
export function withRecords(
  records: readonly TaskRecord[] | undefined,
  steps: readonly { readonly record: TaskRecord }[],
): readonly TaskRecord[] {
  const changed = steps.map(({ record }) => record);
  return [
    ...(records ?? []).filter(({ purpose }) => !changed.some((record) => record.purpose === purpose)),
    ...changed,
  ];
}
