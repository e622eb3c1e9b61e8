import type { KVStoreCluster } from '@ordinal/api';
import type { Instant, Finding } from '@ordinal/client';
import { defined, instantOf, timestamp } from '@ordinal/client';
import { durationOf } from '@ordinal/constructs';
import type { Action, Announcement, TaskStep } from '@ordinal/lifecycle';
import { stuckAfterMs, durationText, earliest, isOver, lastLine, withCauseOfJob } from '@ordinal/lifecycle';
import type { Observation } from '../observation.ts';
import { checksAtWork, endChecks, giveUpCheck, isCheckBegun, runCheck } from './check.ts';
import { drillEvents, drillFinding } from './finding.ts';
import type { DrillRecord } from './records.ts';
import { drillsOf, openDrill, requestedDrill, withDrill } from './records.ts';
import type { DrillScheduleState } from './schedule.ts';
import { scheduledDrill } from './schedule.ts';
import {
  createScratch,
  deleteLeftovers,
  deleteScratch,
  deleteUnrecorded,
  isScratch,
  nameOfScratch,
  progressOfScratch,
  saidBy,
  scratchOf,
  spoiledBy,
} from './scratch.ts';

/** What a reconcile does for restore drills. */
export interface DrillStep {
  /** The drills that the status lists after this reconcile. */
  readonly records: readonly DrillRecord[];
  /** The last value of the annotation that was acted on. */
  readonly request?: string;
  /** How far the schedule has come; undefined where there is none. */
  readonly schedule?: DrillScheduleState;
  /** The check, where one is at work or has just ended. Its actions are not among those of the step. */
  readonly tasks: readonly TaskStep[];
  readonly actions: readonly Action[];
  readonly events: readonly Announcement[];
  /** The condition `Restorable`; undefined where nothing of drills is known or wanted. */
  readonly finding?: Finding;
  readonly lookAgainAt?: Instant;
}

/** How a drill goes on. */
interface Progress {
  readonly record: DrillRecord;
  /** What it waits for. */
  readonly waitsFor?: string;
  readonly tasks?: readonly TaskStep[];
  readonly actions?: readonly Action[];
  readonly lookAgainAt?: Instant;
}

/** How long a drill may take unless the spec says otherwise, in milliseconds. */
const defaultDeadlineMs = 3_600_000;

/** How often a scratch cluster is looked at, in milliseconds: the status of another cluster wakes no reconcile of this one. */
const lookMs = 10_000;

/**
 * How long the UID of a scratch cluster may take to be recorded, in milliseconds: the replica that made it records it in its next write. A client that goes in between never does, and
 * two operators that go on beside each other for a while are not to delete what the other one has just made.
 */
const unrecordedMs = 30_000;

/** How long the name of a backup may be, in characters: a longer one can't stand in `restoreFrom`. */
const longestBackup = 1_024;

/** How much of a message is kept, in characters. */
const messageLength = 256;

/**
 * Takes the restore drills of a cluster that lives one step further.
 *
 * **Expected flow.** A drill is recorded with the name of its scratch cluster, which is made then. When that is ready, the check runs. The result is recorded, the scratch cluster deleted,
 * and the record closed when that is gone.
 *
 * **Guarantees.** One drill at a time. A drill has succeeded only where the operator's own Job has succeeded that looked at the very cluster which the operator has made and in
 * which a restore has succeeded. Whatever its result, its scratch cluster is deleted, and one that no open drill has as well. What the operator has not made is never deleted, and
 * nothing of the cluster itself is changed. A scratch cluster has no drills.
 *
 * **Assumptions.** The status is written before the actions. A record is closed only on what the API server says at that time.
 */
export function decideDrill(seen: Observation, now: Instant): DrillStep {
  const { cluster } = seen;
  const known = drillsOf(cluster);
  const { drillRequest } = cluster.status ?? {};
  const past = { records: known, ...(drillRequest === undefined ? {} : { request: drillRequest }), events: [] };
  if (isScratch(cluster)) return { ...past, tasks: [], actions: [] };
  const open = openDrill(known);
  const mayBegin = open === undefined && canBegin(seen);
  const asked = mayBegin ? requestedDrill(cluster) : undefined;
  const scheduled = scheduledDrill(cluster, mayBegin && asked === undefined, now);
  const name = asked ?? scheduled.name;
  const progress = nextStep(seen, { open, name }, now);
  const records = progress ? withDrill(known, progress.record) : known;
  const finding = drillFinding(cluster, records, progress?.waitsFor);
  const rest = cleanUp(seen, openDrill(records), now);
  const lookAgainAt = earliest(progress?.lookAgainAt, scheduled.lookAgainAt);
  return {
    ...past,
    records,
    ...defined({ request: asked, schedule: scheduled.state }),
    tasks: progress?.tasks ?? [],
    actions: [...(progress?.actions ?? []), ...rest],
    events: drillEvents(open, progress?.record),
    ...(finding ? { finding } : {}),
    ...(lookAgainAt === undefined ? {} : { lookAgainAt }),
  };
}

/**
 * What becomes of drills when the cluster is deleted: the one that is under way has failed, and what was made for it is deleted. The deletion of the cluster waits for none of it.
 */
export function abandonDrill(seen: Observation, now: Instant): Pick<DrillStep, 'records' | 'actions' | 'events'> {
  const known = drillsOf(seen.cluster);
  const open = openDrill(known);
  const record = open?.result === undefined ? open && failed(open, 'the cluster is being deleted') : undefined;
  const scratch = open && scratchOf(seen, open);
  return {
    records: record ? withDrill(known, record) : known,
    actions: [
      ...(scratch?.state === 'Ours' || scratch?.state === 'Unrecorded' ? deleteScratch(scratch.cluster) : []),
      ...cleanUp(seen, open && { ...open, result: 'Failed' }, now),
    ],
    events: drillEvents(open, record),
  };
}

/** What nothing waits for any more: checks of drills that have a result, and scratch clusters that no open drill has. */
const cleanUp = (seen: Observation, open: DrillRecord | undefined, now: Instant): readonly Action[] => [
  ...endChecks(checksAtWork(seen, open, now)),
  ...deleteLeftovers(seen, open),
];

/** The next step of the drill that is under way, or of the one that begins; undefined where there is neither. */
function nextStep(
  seen: Observation,
  { open, name }: { readonly open: DrillRecord | undefined; readonly name: string | undefined },
  now: Instant,
): Progress | undefined {
  if (open) return goOn(seen, open, now);
  return name === undefined ? undefined : begin(seen, name, now);
}

/** Whether a drill can begin: not before the cluster has been complete once, and not where nothing can be created any more. */
function canBegin({ cluster, namespaceTerminating }: Observation): boolean {
  const hasServed = cluster.status?.currentVersion !== undefined;
  return cluster.spec.backup?.drill !== undefined && hasServed && !namespaceTerminating;
}

function begin(seen: Observation, name: string, now: Instant): Progress {
  const backup = seen.cluster.status?.lastBackup?.name;
  const drill = { name, startedAt: timestamp(now) };
  if (backup === undefined)
    return { record: { ...failed(drill, 'no backup has succeeded yet'), finishedAt: timestamp(now) } };
  if (backup.length > longestBackup)
    return {
      record: {
        ...failed(drill, 'the name of the newest backup is too long for restoreFrom.backup'),
        finishedAt: timestamp(now),
      },
    };
  const record = { ...drill, backup, cluster: nameOfScratch(seen, drill) };
  return creating(seen, record, now);
}

/** The drill with its result: it has failed. */
const failed = (record: DrillRecord, message: string): DrillRecord => ({
  ...record,
  result: 'Failed',
  message: message.slice(0, messageLength),
});

const goOn = (seen: Observation, record: DrillRecord, now: Instant): Progress =>
  record.result === undefined ? advance(seen, record, now) : remove(seen, record, now);

/** One step of a drill whose result is not known. */
function advance(seen: Observation, record: DrillRecord, now: Instant): Progress {
  if (!seen.cluster.spec.backup?.drill) return end(seen, failed(record, 'spec.backup.drill was taken away'), now);
  const step = towardsResult(seen, record, now);
  const isLate = isOver(instantOf(record.startedAt) ?? now, deadlineMs(seen.cluster), now);
  if (step.record.result !== undefined) return end(seen, step.record, now, step.tasks);
  if (!isLate) return step;
  const waitedFor = step.waitsFor === undefined ? '' : `: ${step.waitsFor}`;
  return end(
    seen,
    failed(step.record, `it took longer than ${durationText(deadlineMs(seen.cluster))}${waitedFor}`),
    now,
  );
}

const deadlineMs = ({ spec }: KVStoreCluster): number => durationOf(spec.backup?.drill?.deadline, defaultDeadlineMs);

/** The result of a drill is known: what was made for it goes. */
function end(seen: Observation, record: DrillRecord, now: Instant, tasks?: readonly TaskStep[]): Progress {
  const removal = remove(seen, record, now);
  // What follows relies on the result, so that is recorded first.
  const { finishedAt: _finishedAt, ...ended } = removal.record;
  const ends = tasks ?? giveUpCheck(seen, record, now);
  return { ...removal, record: ended, tasks: ends, lookAgainAt: earliest(removal.lookAgainAt, now + lookMs) ?? now };
}

/** What a drill does until its result is known. */
function towardsResult(seen: Observation, record: DrillRecord, now: Instant): Progress {
  const scratch = scratchOf(seen, record);
  const name = record.cluster ?? '';
  switch (scratch.state) {
    case 'Missing':
      return record.clusterUID === undefined
        ? creating(seen, record, now)
        : { record: failed(record, `${name} is gone: another client has deleted it`) };
    case 'Unrecorded': {
      if (!isOver(instantOf(record.startedAt) ?? now, unrecordedMs, now))
        return waiting(record, `waiting until the UID of KVStoreCluster ${name} is recorded`, now);
      const progress = waiting(record, `waiting until KVStoreCluster ${name} is gone: it is created again`, now);
      return { ...progress, actions: deleteUnrecorded(seen, scratch.cluster) };
    }
    case 'Taken':
      return {
        record: failed(record, `KVStoreCluster ${name} exists, and no restore drill has made it: it is left alone`),
      };
    case 'Ours': {
      const { cluster, isTrusted } = scratch;
      const spoiled = spoiledBy(cluster, record);
      if (spoiled !== undefined) return { record: failed(record, `${name} can't be checked: ${spoiled}`) };
      const progress = progressOfScratch(cluster, isTrusted);
      if (progress.state === 'Failed') return { record: failed(record, `${name}: ${progress.message}`) };
      if (progress.state === 'Ready' || isCheckBegun(seen, record)) return checking(seen, record, { cluster, now });
      return waiting(record, `waiting until ${name} is Ready: ${progress.message}`, now);
    }
  }
}

function creating(seen: Observation, record: DrillRecord, now: Instant): Progress {
  const { processingError } = seen.cluster.status ?? {};
  const why = processingError === undefined ? '' : `: ${processingError.message}`;
  const progress = waiting(record, `KVStoreCluster ${record.cluster ?? ''} is not there yet${why}`, now);
  return { ...progress, actions: [createScratch(seen, record)] };
}

const waiting = (record: DrillRecord, waitsFor: string, now: Instant): Progress => ({
  record,
  waitsFor,
  lookAgainAt: now + lookMs,
});

function checking(
  seen: Observation,
  record: DrillRecord,
  { cluster, now }: { readonly cluster: KVStoreCluster; readonly now: Instant },
): Progress {
  const task = runCheck(seen, record, cluster, now);
  const { job, message = '', location } = task.record;
  const tasks = [task];
  switch (task.state) {
    case 'Running': {
      const sentence = task.blockedBy ?? `waiting until the Job ${job} has checked ${cluster.metadata.name}`;
      return { ...waiting(record, withCauseOfJob(seen.taskPods, job, sentence), now), tasks };
    }
    case 'Succeeded': {
      const said = location?.slice(0, messageLength);
      return { record: { ...record, result: 'Succeeded', ...(said === undefined ? {} : { message: said }) }, tasks };
    }
    case 'Failed': {
      const said = lastLine(message) ?? '';
      return { record: failed(record, `the Job ${job} failed: ${said}`), tasks };
    }
  }
}

/** Deletes what was made for a drill that has a result, and closes its record when that is gone. */
function remove(seen: Observation, record: DrillRecord, now: Instant): Progress {
  const scratch = scratchOf(seen, record);
  const checks = checksAtWork(seen, record, now);
  if (scratch.state === 'Ours' || scratch.state === 'Unrecorded') {
    const { cluster } = scratch;
    return { ...waiting(record, untilGone(cluster, now), now), actions: deleteScratch(cluster) };
  }
  if (checks.length > 0)
    return waiting(
      record,
      `waiting until ${checks
        .map(({ metadata }) => metadata.name)
        .sort()
        .join(', ')} is gone`,
      now,
    );
  // A status write of our own wakes no reconcile: another drill may be asked for already.
  return { record: { ...record, finishedAt: timestamp(now) }, lookAgainAt: now };
}

function untilGone(scratch: KVStoreCluster, now: Instant): string {
  const { metadata } = scratch;
  const { name, namespace = '' } = metadata;
  const since = instantOf(metadata.deletionTimestamp);
  const sentence = `waiting until KVStoreCluster ${name} is gone`;
  if (since === undefined || !isOver(since, stuckAfterMs, now)) return sentence;
  const progress = saidBy(scratch) ?? '';
  return `${sentence}, for more than ${durationText(stuckAfterMs)}: ${progress}; kubectl describe kvs -n ${namespace} ${name}`;
}
