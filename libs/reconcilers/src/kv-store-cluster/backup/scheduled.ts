import type { KVStoreClusterSpecBackup, KVStoreClusterSpecBackupSchedule } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { instantOf, timestamp } from '@ordinal/client';
import { durationOf, taskName } from '@ordinal/constructs';
import type { Announcement, TaskStep } from '@ordinal/lifecycle';
import { earliest, dueRun, latestStart, longestLookMs, scheduleOf } from '@ordinal/lifecycle';
import { clusterTask } from '../jobs.ts';
import type { Observation } from '../observation.ts';
import { membersOf, toBuild } from '../observation.ts';
import type { BackupRecord, BackupStep } from './records.ts';
import { isToBeMade, knownBackups } from './records.ts';
import type { ScheduleState } from './schedule-state.ts';
import { settledUntil, stateAtStart, withoutTimesAhead } from './schedule-state.ts';
import { scheduledName } from './scheduled-name.ts';
import { turnOf } from './scheduled-turn.ts';

/** What the schedule does in a reconcile. */
export interface ScheduleStep {
  /** How far it has come; undefined where there is none. */
  readonly state?: ScheduleState;
  /** The backups that begin, are still to be made, given up or replaced. */
  readonly backups: readonly BackupStep[];
  readonly events: readonly Announcement[];
  readonly lookAgainAt?: Instant;
}

/**
 * Makes the backups of `spec.backup.schedule`. Pure.
 *
 * **Expected flow.** When a time has come, its backup is recorded, under a name that is made of the time, and its time as settled; then its Job is made, which has a name made
 * of that. Its end is recorded as that of every other backup.
 *
 * **Guarantees.** A time has at most one backup: what is settled stands in the status before the Job is made, and a Job is found again by its name and its seal. Of times that
 * were missed the newest is made up for until its starting deadline; the others, and one that was not begun by then, are reported by an event. Nothing begins before the
 * first member has served, nor beside a Job that writes.
 */
export function decideSchedule(seen: Observation, tasks: readonly TaskStep[], now: Instant): ScheduleStep {
  const { spec, status } = seen.cluster;
  const { backup } = spec;
  const unmade = knownBackups(seen, now).filter((record) => isToBeMade(seen, record));
  const schedule = backup?.schedule;
  if (!schedule) return { ...gone(unmade, now) };
  const start = stateAtStart(status?.backupSchedule, schedule, now);
  const before = unmade.map((record) => proceed(seen, { backup, schedule }, { record, now }));
  if (schedule.suspend === true) return { state: start, ...joined(before) };
  if (status?.backupSchedule === undefined && !hasServed(seen)) return joined(before);
  const next = advance(seen, { backup, schedule, state: start, tasks }, now);
  const all = joined([...before, next]);
  const lookAgainAt = earliest(next.lookAgainAt, all.lookAgainAt, now + longestLookMs);
  return { ...all, state: next.state, ...(lookAgainAt === undefined ? {} : { lookAgainAt }) };
}

const hasServed = (seen: Observation): boolean =>
  seen.cluster.status?.currentVersion !== undefined || membersOf(seen).some(({ ready }) => ready);

/** The steps as one. */
function joined(steps: readonly Omit<ScheduleStep, 'state'>[]): Omit<ScheduleStep, 'state'> {
  const lookAgainAt = earliest(...steps.map((step) => step.lookAgainAt));
  return {
    backups: steps.flatMap(({ backups }) => backups),
    events: steps.flatMap(({ events }) => events),
    ...(lookAgainAt === undefined ? {} : { lookAgainAt }),
  };
}

const gone = (unmade: readonly BackupRecord[], now: Instant) =>
  joined(unmade.map((record) => givenUp(record, 'spec.backup.schedule has gone before its Job was made', now)));

/** What a spec says of its schedule. */
interface Wanted {
  readonly backup: KVStoreClusterSpecBackup;
  readonly schedule: KVStoreClusterSpecBackupSchedule;
}

const deadlineOf = ({ startingDeadline }: KVStoreClusterSpecBackupSchedule): number | undefined =>
  startingDeadline === undefined ? undefined : durationOf(startingDeadline, 0);

/** A backup whose time is settled and whose Job is not there: an operator has gone between the two. */
function proceed(
  seen: Observation,
  { backup, schedule }: Wanted,
  { record, now }: { readonly record: BackupRecord; readonly now: Instant },
): Omit<ScheduleStep, 'state'> {
  if (schedule.suspend === true) return givenUp(record, 'suspended before its Job was made', now);
  const until = latestStart(scheduleOf(schedule), instantOf(record.scheduledAt) ?? 0, deadlineOf(schedule));
  if (now > until) return givenUp(record, 'its Job could not be made before its starting deadline', now);
  return { backups: [begin(seen, { backup, record }, now)], events: [], lookAgainAt: until + 1_000 };
}

/** One that is not made any more. */
function givenUp(record: BackupRecord, message: string, now: Instant): Omit<ScheduleStep, 'state'> {
  const listed: BackupRecord = { ...record, result: 'Failed', message, finishedAt: timestamp(now) };
  return {
    backups: [{ state: 'Failed', record: taskRecord(record), listed, actions: [] }],
    events: [{ type: 'Warning', reason: 'BackupFailed', note: `${record.name}: ${message}` }],
  };
}

const taskRecord = ({ name, job, startedAt }: BackupRecord): TaskStep['record'] => ({
  purpose: 'Backup',
  subject: name,
  job,
  ...(startedAt === undefined ? {} : { startedAt }),
});

/** The step that makes the Job of a backup that stands in the list, or is about to. */
function begin(
  seen: Observation,
  { backup, record }: { readonly backup: KVStoreClusterSpecBackup; readonly record: BackupRecord },
  now: Instant,
): BackupStep {
  const variables = { ORDINAL_BACKUP_NAME: record.name };
  const known = taskRecord(record);
  const wanted = { purpose: 'Backup', subject: record.name, task: backup.job, variables, byUid: true } as const;
  return { ...clusterTask(seen, { ...wanted, record: known }, now), listed: record };
}

/** What the times of the schedule ask for. */
function advance(
  seen: Observation,
  { backup, schedule, state, tasks }: Wanted & { readonly state: ScheduleState; readonly tasks: readonly TaskStep[] },
  now: Instant,
): ScheduleStep & { readonly state: ScheduleState } {
  const deadlineMs = deadlineOf(schedule);
  const view = { settled: settledUntil(state), now, ...(deadlineMs === undefined ? {} : { deadlineMs }) };
  const run = dueRun(scheduleOf(schedule), view);
  if (run.clockWasAhead) return restarted(seen, state, now);
  const ahead = run.next === undefined ? {} : { nextAt: timestamp(run.next) };
  const look = earliest(run.next, run.beginsUntil === undefined ? undefined : run.beginsUntil + 1_000);
  const common = { backups: [], events: [], ...(look === undefined ? {} : { lookAgainAt: look }) };
  if (run.missed !== undefined) {
    const missedBecause = seen.cluster.status?.backupSchedule?.blockedBy;
    const { missedBecause: _earlier, ...rest } = state;
    const why = missedBecause === undefined ? {} : { missedBecause };
    const missed = { ...rest, lastMissedAt: timestamp(run.missed), ...why, ...ahead };
    return { ...common, state: missed, events: [missedEvent(run.missed, run.passedOver, missedBecause)] };
  }
  if (run.due === undefined) return { ...common, state: { ...state, ...ahead } };
  const dueAt = timestamp(run.due);
  const settled = { ...state, lastScheduledAt: dueAt, ...ahead };
  const known = knownBackups(seen, now);
  // It was made before the status was lost.
  if (known.some(({ scheduledAt }) => scheduledAt === dueAt)) return { ...common, state: settled };
  const name = scheduledName(seen.cluster, run.due, [...known.map((record) => record.name), ...onDemand(tasks)]);
  const turn = turnOf(seen, { name, policy: schedule.concurrencyPolicy, tasks }, now);
  if (turn.blockedBy !== undefined) {
    return { ...common, backups: turn.replaced, state: { ...state, ...ahead, blockedBy: turn.blockedBy } };
  }
  const job = taskName(toBuild(seen.cluster), 'Backup', name);
  const record = { name, job, scheduledAt: dueAt, startedAt: timestamp(now) };
  const skipped = run.passedOver === 0 ? [] : [passedOverEvent(run.due, run.passedOver)];
  return { ...common, backups: [begin(seen, { backup, record }, now)], state: settled, events: skipped };
}

/** The names of the backups on demand that this reconcile is about. */
const onDemand = (tasks: readonly TaskStep[]): readonly string[] =>
  tasks.flatMap(({ record: { purpose, subject } }) => (purpose === 'Backup' ? [subject] : []));

/** The clock was more than one run ahead when times were settled. */
function restarted(
  seen: Observation,
  state: ScheduleState,
  now: Instant,
): ScheduleStep & { readonly state: ScheduleState } {
  const note = `the clock was ahead when the backup of ${state.lastScheduledAt ?? state.since} was due: the times of the schedule count from ${timestamp(now)} on`;
  return {
    state: withoutTimesAhead(state, now),
    backups: knownBackups(seen, now).flatMap((record) => withoutTimeAhead(record, now)),
    events: [{ type: 'Warning', reason: 'BackupScheduleRestarted', note }],
    lookAgainAt: now,
  };
}

/** A backup whose time was one of a clock that was ahead: it is older than it is called, and what is kept is not judged by it any more, also when that time comes. */
function withoutTimeAhead(record: BackupRecord, now: Instant): readonly BackupStep[] {
  const { scheduledAt, ...listed } = record;
  const isAhead = (instantOf(scheduledAt) ?? -Infinity) > now;
  if (!isAhead || record.result === undefined) return [];
  return [{ state: record.result, record: taskRecord(record), listed, actions: [] }];
}

const times = (count: number): string => (count >= 100 ? 'a hundred times or more' : count === 1 ? 'one time' : `${count} times`); // prettier-ignore

function missedEvent(at: Instant, passedOver: number, because: string | undefined): Announcement {
  const before = passedOver === 0 ? '' : `, nor were those of ${times(passedOver)} before it`;
  const why = because === undefined ? '' : `: ${because}`;
  const note = `the backup of ${timestamp(at)} was not begun before its starting deadline${before}${why}`;
  return { type: 'Warning', reason: 'BackupMissed', note };
}

function passedOverEvent(at: Instant, passedOver: number): Announcement {
  const note = `backups of ${times(passedOver)} of the schedule before ${timestamp(at)} were missed, and are not made up for`;
  return { type: 'Warning', reason: 'BackupMissed', note };
}
