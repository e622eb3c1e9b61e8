import type { Instant, Job } from '@ordinal/client';
import { jobs as jobKind } from '@ordinal/client';
import type { Purpose } from '@ordinal/constructs';
import { purposeLabel, subjectAnnotation } from '@ordinal/constructs';
import type { Action, TaskStep } from '@ordinal/lifecycle';
import { earliest, identityOf, isOver, jobState } from '@ordinal/lifecycle';
import { recordOf } from '../records.ts';
import type { Observation } from '../observation.ts';
import type { BackupRecord } from './records.ts';
import { isRecorded } from './records.ts';

/** Purposes of which there come more and more Jobs in the life of a cluster. */
const bounded: readonly Purpose[] = ['Backup', 'Prune', 'RestoreDrill', 'Analysis', 'BeforeUpgrade', 'BeforeScaleDown'];

/** How many Jobs of a purpose are kept unless the spec says otherwise, as CronJob has it. */
const defaults = { successful: 3, failed: 1 };

/** How many Jobs are deleted in one reconcile: the next ones follow when these are gone. */
const atOnce = 50;

/** A Job that has ended. */
interface Ended {
  readonly job: Job;
  readonly result: 'Succeeded' | 'Failed';
  readonly at: Instant;
}

/** What is deleted, and when the next Job is too old. */
export interface JobHistory {
  readonly actions: readonly Action[];
  readonly lookAgainAt?: Instant;
}

/**
 * Deletes Jobs that have ended and are more, or older, than the spec keeps.
 *
 * **Guarantees.** A Job goes only after its result stands in the status. The newest Job of each purpose and those that the upgrade under way has made stay in any case:
 * where the status can't be trusted they are what says that something was done. A Job is deleted only as it was seen.
 */
export function dropOldJobs(seen: Observation, tasks: readonly TaskStep[], now: Instant): JobHistory {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit, ttlSecondsAfterFinished } = seen.cluster.spec.jobs ?? {};
  const limits = {
    Succeeded: successfulJobsHistoryLimit ?? defaults.successful,
    Failed: failedJobsHistoryLimit ?? defaults.failed,
  };
  const ttlMs = ttlSecondsAfterFinished === undefined ? undefined : ttlSecondsAfterFinished * 1000;
  const judged = bounded.flatMap((purpose) => {
    const ended = seen.jobs.filter(isOf(purpose)).flatMap((job) => endedJob(job, now));
    return (['Succeeded', 'Failed'] as const).flatMap((result) =>
      newestFirst(ended.filter((one) => one.result === result)).map((one, place) => ({
        ...one,
        isTooOld: ttlMs !== undefined && isOver(one.at, ttlMs, now),
        isTooMany: place >= limits[result],
      })),
    );
  });
  const spare = judged.filter(({ job }) => isSpare(seen, job, tasks) && job.metadata.deletionTimestamp === undefined);
  const going = spare.filter(({ isTooOld, isTooMany }) => isTooOld || isTooMany);
  const next =
    ttlMs === undefined
      ? undefined
      : earliest(...spare.filter((one) => !going.includes(one)).map(({ at }) => at + ttlMs));
  return {
    actions: going.slice(0, atOnce).map(({ job, isTooOld }) => ({
      kind: 'delete',
      descriptor: jobKind,
      target: identityOf(job),
      resourceVersion: job.metadata.resourceVersion,
      propagation: 'Background',
      neededBy: 'nothing',
      because: isTooOld ? 'it ended longer ago than spec.jobs keeps' : 'more Jobs of its purpose are there than spec.jobs keeps', // prettier-ignore
    })),
    ...(next === undefined ? {} : { lookAgainAt: next }),
  };
}

const purposeOf = ({ metadata }: Job): string => metadata.labels?.[purposeLabel] ?? '';

const isOf =
  (purpose: Purpose) =>
  (job: Job): boolean =>
    purposeOf(job) === purpose;

function endedJob(job: Job, now: Instant): readonly Ended[] {
  const state = jobState(job, now);
  return state.state === 'Succeeded' || state.state === 'Failed' ? [{ job, result: state.state, at: state.at }] : [];
}

const newestFirst = (ended: readonly Ended[]): readonly Ended[] =>
  [...ended].sort((a, b) => b.at - a.at || a.job.metadata.name.localeCompare(b.job.metadata.name));

/** The record of the newest backup of the schedule. */
const newestScheduled = ({ status }: Observation['cluster']): BackupRecord | undefined =>
  (status?.backups ?? [])
    .filter(({ scheduledAt }) => scheduledAt !== undefined)
    .sort((a, b) => (a.scheduledAt ?? '').localeCompare(b.scheduledAt ?? ''))
    .at(-1);

/** Whether nothing rests on a Job any more. */
function isSpare(seen: Observation, job: Job, tasks: readonly TaskStep[]): boolean {
  const { cluster } = seen;
  const purpose = purposeOf(job) as Purpose; // One of those that are bounded.
  const record = recordOf(cluster.status, purpose);
  const isAwaited = tasks.some((task) => task.record.job === job.metadata.name);
  if (record?.job === job.metadata.name || isAwaited) return false;
  // Scheduled ones have no record of their own purpose: the newest stays, which says that its time is settled.
  if (purpose === 'Backup') return isRecorded(seen, job) && newestScheduled(cluster)?.job !== job.metadata.name;
  if (record === undefined) return false;
  // What was judged or made ready for an upgrade counts for as long as that goes on.
  const { startedAt = '' } = cluster.status?.upgrade ?? {};
  return startedAt === '' || job.metadata.annotations?.[subjectAnnotation]?.includes(startedAt) !== true;
}
