import type { KVStoreClusterSpecBackup } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { instantOf } from '@ordinal/client';
import { durationOf } from '@ordinal/constructs';
import type { Announcement, TaskStep, ValidationError } from '@ordinal/lifecycle';
import { expectedRuns, scheduleOf, failsNow } from '@ordinal/lifecycle';
import { clusterTask } from '../jobs.ts';
import type { Observation } from '../observation.ts';
import { recordOf } from '../records.ts';
import type { BackupRecord } from './records.ts';

/** How long after a Job that could not remove a backup the next one is made, doubling with each, in milliseconds. */
const retryMs = 60_000;

/** As many scheduled backups are kept at most: the list of the status has room for others beside them. */
const maxKept = 50;

/** What is kept, and how the rest goes. */
export interface RetentionStep {
  /** The backups that the list keeps. */
  readonly backups: readonly BackupRecord[];
  readonly tasks: readonly TaskStep[];
  readonly events: readonly Announcement[];
  /** At once, where more is to be pruned: a status write of the operator's own asks for no reconcile. */
  readonly lookAgainAt?: Instant;
}

/** What is wrong with how many backups are to be kept. The schedule has to be valid. Pure. */
export function validateRetention(backup: KVStoreClusterSpecBackup | undefined): readonly ValidationError[] {
  const { schedule, retention } = backup ?? {};
  if (!schedule || retention?.age === undefined || retention.count !== undefined) return [];
  const count = expectedRuns(scheduleOf(schedule), {
    withinMs: durationOf(retention.age, 0),
    max: maxKept + 1,
  });
  if (count <= maxKept) return [];
  const message = `it would keep more than ${maxKept} backups, and the status can't list so many: set retention.count beside it, make it shorter, or make backups less often`;
  return [{ path: 'spec.backup.retention.age', message }];
}

/**
 * Prunes the backups of the schedule that `spec.backup.retention` does not keep, the oldest first, one at a time. Pure.
 *
 * **Guarantees.** The newest that succeeded is never pruned, nor one that a user has asked for, nor one whose end is not recorded, nor one that a restore drill reads or that the next
 * one would. A record goes only with the write that records that its Job has succeeded. A time that has not come counts for nothing. An age counts from the newest success, by the
 * clock of the cluster: where no backup succeeds any more nothing is pruned, and nothing by a clock that is wrong.
 */
export function decideRetention(seen: Observation, backups: readonly BackupRecord[], now: Instant): RetentionStep {
  const { prune } = seen.cluster.spec.backup ?? {};
  const { drills = [], lastBackup } = seen.cluster.status ?? {};
  const drilled = [lastBackup?.name, ...drills.flatMap(({ result, backup }) => (result ? [] : [backup]))];
  const exceeding = exceedingOf(seen.cluster.spec.backup, backups, now).filter(({ name }) => !drilled.includes(name));
  if (!prune) return { backups: without(backups, exceeding), tasks: [], events: exceeding.map(recordGone) };
  const [oldest] = exceeding;
  if (oldest === undefined) return { backups, tasks: [], events: [] };
  const { name: subject, location = '' } = oldest;
  const variables = { ORDINAL_BACKUP_NAME: subject, ORDINAL_BACKUP_LOCATION: location };
  const step = clusterTask(seen, { purpose: 'Prune', subject, task: prune, variables, retryMs }, now);
  if (step.state === 'Succeeded') {
    const note = `${subject}: the Job ${step.record.job} has removed it`;
    return {
      backups: without(backups, [oldest]),
      tasks: [step],
      events: [{ type: 'Normal', reason: 'BackupPruned', note }],
      ...(exceeding.length > 1 ? { lookAgainAt: now } : {}),
    };
  }
  const note = `${subject}: ${step.record.message ?? ''}; it is tried again`;
  const isNew = failsNow(recordOf(seen.cluster.status, 'Prune'), step.record);
  return { backups, tasks: [step], events: isNew ? [{ type: 'Warning', reason: 'PruneFailed', note }] : [] };
}

const without = (backups: readonly BackupRecord[], gone: readonly BackupRecord[]): readonly BackupRecord[] =>
  backups.filter((record) => !gone.includes(record));

const recordGone = ({ name, location = 'wherever its Job has put it' }: BackupRecord): Announcement => ({
  type: 'Normal',
  reason: 'BackupForgotten',
  note: `${name}: its record goes, what is stored stays (${location}): there is no backup.prune`,
});

/** The backups that are not kept, the oldest first. */
function exceedingOf(
  { retention }: Partial<KVStoreClusterSpecBackup> = {},
  backups: readonly BackupRecord[],
  now: Instant,
): readonly BackupRecord[] {
  if (!retention) return [];
  const { count = Infinity, age } = retention;
  const ended = backups
    .filter(({ scheduledAt, result }) => isPast(scheduledAt, now) && result !== undefined)
    .sort((a, b) => timeOf(a).localeCompare(timeOf(b)));
  const succeeded = ended.filter(({ result }) => result === 'Succeeded');
  const newest = succeeded.at(-1);
  if (newest === undefined) return [];
  const ageMs = age === undefined ? Infinity : durationOf(age, Infinity);
  // When a Job has ended stands in its status, which others may write, and a clock that was ahead has written.
  const limit = Math.min(instantOf(newest.finishedAt) ?? -Infinity, now) - ageMs;
  return ended.filter((record) => {
    const newer = succeeded.filter((other) => timeOf(other) > timeOf(record)).length;
    const isTooOld = (instantOf(record.finishedAt) ?? Infinity) < limit;
    return newer > 0 && (newer >= count || isTooOld);
  });
}

/** What a clock that was ahead has named is no newer than what was made since: until its time has come it is not pruned, and nothing is pruned for it. */
const isPast = (scheduledAt: string | undefined, now: Instant): boolean => (instantOf(scheduledAt) ?? Infinity) <= now;

const timeOf = ({ scheduledAt = '' }: BackupRecord): string => scheduledAt;
