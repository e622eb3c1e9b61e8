import type { KVStoreClusterStatus } from '@ordinal/api';
import type { Instant, Job } from '@ordinal/client';
import { defined, timestamp } from '@ordinal/client';
import { purposeLabel, subjectAnnotation } from '@ordinal/constructs';
import type { Announcement, TaskRecord, TaskStep } from '@ordinal/lifecycle';
import { boundedOutput, hasEnded, jobState, lastLine } from '@ordinal/lifecycle';
import type { Observation } from '../observation.ts';
import { recordOf } from '../records.ts';
import { scheduledTime } from './scheduled-name.ts';

/** One backup, as the status has it. */
export type BackupRecord = NonNullable<KVStoreClusterStatus['backups']>[number];

/** How many backups a status lists. */
const keptRecords = 64;

/**
 * How long the list may be, in characters of JSON: locations have up to 1,024 each, and a status of 64 KiB counts as one that the operator has not written. 64 backups with locations of
 * 100 characters fit.
 */
const longestList = 24 * 1024;

/** How many Jobs are taken into a status that has no list yet: those that an earlier version of the operator has made. */
const adoptedJobs = 20;

/** How much of a failure's message is kept for each backup, in characters: there are many, and the Job's log has the rest. */
const messageLength = 256;

const isBackup = ({ metadata }: Job): boolean => metadata.labels?.[purposeLabel] === 'Backup';

const subjectOf = ({ metadata }: Job): string => metadata.annotations?.[subjectAnnotation] ?? '';

/** A step of a backup. */
export interface BackupStep extends TaskStep {
  /** How the list has it, where that is more than the record of the step says. */
  readonly listed?: BackupRecord;
}

/** What the records of a status become, and what is to be emitted for those that have ended. */
export interface BackupLedger {
  readonly records: readonly BackupRecord[];
  readonly events: readonly Announcement[];
}

/**
 * The backups of a cluster after this reconcile, one for each name, the oldest first.
 *
 * **Expected flow.** A backup is recorded before its Job is made, by the step that makes it. Its end is recorded from its Job, also where another backup was asked for since.
 * Where the Job has gone before it ended, the backup has failed.
 *
 * **Guarantees.** Each end is recorded once, and emitted once. No record without a result is dropped while one with a result can be. The list has 64 records and 24 KiB at most: a location is never cut, fewer are kept. Where the status has no list, as one of
 * an earlier version, existing Jobs are taken into it; nothing is emitted for those that have ended.
 */
export function recordBackups(seen: Observation, tasks: readonly BackupStep[], now: Instant): BackupLedger {
  const steps = tasks
    .filter(({ record }) => record.purpose === 'Backup')
    .map(({ record, listed }) => listed ?? recorded(record));
  const known = knownBackups(seen, now);
  const others = known.filter(({ name }) => !steps.some((step) => step.name === name));
  const ended = others.map((record) => (record.result === undefined ? endOf(seen, record, now) : record));
  const events = ended.flatMap((record, index) => (record.result === others[index]?.result ? [] : emitted(record)));
  const records = [...ended, ...steps].sort((a, b) => (a.startedAt ?? '').localeCompare(b.startedAt ?? ''));
  return { records: newest(records), events };
}

/** The backups that are known before this reconcile: those of the list or, where the status has none, those that the newest Jobs make. */
export const knownBackups = (seen: Observation, now: Instant): readonly BackupRecord[] =>
  seen.cluster.status?.backups ?? adopted(seen).map((job) => taken(seen, job, now));

/** Whether the output of a Job is to be read, because its end is not recorded yet. */
export function isUnrecorded(job: Job, seen: Pick<Observation, 'cluster' | 'jobs'>): boolean {
  if (!isBackup(job)) return false;
  const { backups } = seen.cluster.status ?? {};
  if (backups === undefined) return adopted(seen).includes(job);
  return backups.some((record) => record.job === job.metadata.name && record.result === undefined);
}

/** The Jobs that a status without a list takes in: the newest. */
function adopted({ jobs }: Pick<Observation, 'jobs'>): readonly Job[] {
  const made = ({ metadata }: Job): string => `${metadata.creationTimestamp} ${metadata.name}`;
  return jobs
    .filter(isBackup)
    .sort((a, b) => made(b).localeCompare(made(a)))
    .slice(0, adoptedJobs);
}

/** The record of a Job that stands in no list. */
function taken(seen: Observation, job: Job, now: Instant): BackupRecord {
  const { name, creationTimestamp } = job.metadata;
  const subject = subjectOf(job);
  const scheduledAt = scheduledTime(seen.cluster, subject);
  const ofSchedule = scheduledAt === undefined ? {} : { scheduledAt: timestamp(scheduledAt), jobUID: job.metadata.uid };
  const record = { name: subject, job: name, ...ofSchedule, startedAt: creationTimestamp };
  return hasEnded(job, now) ? endOf(seen, record, now) : record;
}

/** Whether the Job of a scheduled backup that stands in the list is still to be made: as far as is known it never was. */
export const isToBeMade = (seen: Observation, record: BackupRecord): boolean =>
  record.scheduledAt !== undefined &&
  record.result === undefined &&
  record.jobUID === undefined &&
  jobOf(seen, record) === undefined;

/** The Job of a record. A scheduled backup is made by no other Job of its name than the one that was seen. */
export function jobOf(seen: Observation, { job: name, scheduledAt, jobUID }: BackupRecord): Job | undefined {
  const job = seen.jobs.find(({ metadata }) => metadata.name === name);
  if (job === undefined || scheduledAt === undefined) return job;
  return (jobUID ?? job.metadata.uid) === job.metadata.uid ? job : undefined;
}

/** What the list keeps of the record of a task. */
function recorded({ subject, job, result, location, message, startedAt, finishedAt }: TaskRecord): BackupRecord {
  return {
    name: subject,
    job,
    ...defined({ result, location }),
    ...(result === 'Failed' && message !== undefined ? { message: message.slice(0, messageLength) } : {}),
    ...defined({ startedAt, finishedAt }),
  };
}

/** The record with its end, where that is known. */
function endOf(seen: Observation, before: BackupRecord, now: Instant): BackupRecord {
  const { outputs } = seen;
  const job = jobOf(seen, before);
  const isFirstSeen = before.scheduledAt !== undefined && job !== undefined && before.jobUID === undefined;
  const record = isFirstSeen ? { ...before, jobUID: job.metadata.uid } : before;
  // It is recorded before it is made: the schedule makes it, or gives it up.
  if (job === undefined && record.scheduledAt !== undefined && record.jobUID === undefined) return record;
  const state = jobState(job, now);
  switch (state.state) {
    case 'Running':
    case 'Going':
      return record;
    case 'Missing':
      return {
        ...record,
        result: 'Failed',
        message:
          record.message ??
          `its Job ${record.job} does not exist: it was deleted before it ended, or could not be made`,
        finishedAt: timestamp(now),
      };
    case 'Failed': {
      const message = [state.message, boundedOutput(outputs.get(record.job) ?? '')].filter((part) => part !== '');
      return {
        ...record,
        result: 'Failed',
        message: message.join('\n').slice(0, messageLength),
        finishedAt: timestamp(now),
      };
    }
    case 'Succeeded': {
      const location = lastLine(boundedOutput(outputs.get(record.job) ?? ''));
      const { message: _replaced, ...rest } = record;
      return {
        ...rest,
        result: 'Succeeded',
        ...(location === undefined ? {} : { location }),
        finishedAt: timestamp(state.at),
      };
    }
  }
}

/** A backup's end, as an event. */
function emitted({ name, result, location, message = '' }: BackupRecord): readonly Announcement[] {
  if (result === undefined) return [];
  return result === 'Succeeded'
    ? [{ type: 'Normal', reason: 'BackupSucceeded', note: `${name}: ${location ?? 'done'}` }]
    : [{ type: 'Warning', reason: 'BackupFailed', note: `${name}: ${message}` }];
}

/** As many as a status may list, by number and by length: those that have ended go first, the oldest of them before the others. */
function newest(records: readonly BackupRecord[]): readonly BackupRecord[] {
  const hasEnded = ({ result }: BackupRecord): boolean => result !== undefined;
  const inOrder = [...records.filter(hasEnded), ...records.filter((record) => !hasEnded(record))];
  let [kept, length] = [0, 2];
  for (const record of inOrder.toReversed()) {
    length += JSON.stringify(record).length + 1;
    if (kept === keptRecords || length > longestList) break;
    kept += 1;
  }
  const dropped = new Set(inOrder.slice(0, inOrder.length - kept));
  return records.filter((record) => !dropped.has(record));
}

/** Whether a Job's end stands in the status: what it said outlives it. */
export function isRecorded({ cluster }: Observation, { metadata }: Job): boolean {
  const { status } = cluster;
  const inHooks = recordOf(status, 'Backup');
  const listed = status?.backups?.find(({ job }) => job === metadata.name);
  if (inHooks?.job === metadata.name) return inHooks.result !== undefined;
  return status?.backups !== undefined && (listed === undefined || listed.result !== undefined);
}
