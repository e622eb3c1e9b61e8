import type { Instant, Job, JobInput } from '@ordinal/client';
import { jobs, instantOf, timestamp } from '@ordinal/client';
import type { Action } from '../decision/index.ts';
import { atTheLatest, identityOf, isOver } from '../decision/index.ts';
import { boundedOutput, lastLine } from './output.ts';
import type { TaskRecord } from './task.ts';
import { jobState } from './task.ts';

/** A Job that a step needs to have succeeded. */
export interface WantedTask {
  readonly purpose: string;
  readonly subject: string;
  /** The Job to make, named after purpose and subject. */
  readonly job: JobInput;
  /** How long after a failure it is run again, doubling with each. Absent: a failure is final for this subject. */
  readonly retryMs?: number;
  /** A hash of what the Job is made from. Where a failed task is run again anyway, one that is made from something else is run at once. */
  readonly definition?: string;
  /** A user asks for it to be run again where it has failed, at once. To be written together with what shows that this was acted on. */
  readonly again?: boolean;
  /** Its Job is known by its UID as soon as it was seen, for what it says decides about data. Otherwise any of its name that was seen counts. */
  readonly byUid?: true;
}

/** What was seen of the task. */
export interface TaskSeen {
  /** What the status says, of this purpose; of another subject too. */
  readonly record: TaskRecord | undefined;
  /** The Job of this name, where there is one. */
  readonly job: Job | undefined;
  /** What it printed, where that has been read. */
  readonly output: string | undefined;
}

/** Where the task stands and what is to be done for it. */
export interface TaskStep {
  readonly state: 'Running' | 'Succeeded' | 'Failed';
  readonly record: TaskRecord;
  readonly actions: readonly Action[];
  readonly lookAgainAt?: Instant;
  /** What it waits for before its Job may begin, or why none can. */
  readonly blockedBy?: string;
}

/** No task is tried more rarely than this, in milliseconds. */
const longestRetryMs = 60 * 60_000;

/**
 * Takes a task one step further.
 *
 * **Expected flow.** No record of this subject: create the Job. Running: wait. Finished: record its result and its last lines. Recorded: that stands,
 * whatever becomes of the Job.
 *
 * **Guarantees.** One Job at a time for a subject: its name is made of purpose and subject, so that a crash between its creation and the record, or a
 * late cache, finds the same Job. A result that was recorded is never forgotten because the Job was cleaned away. A failed task with `retryMs` is run
 * again only after the failed Job has been deleted and is gone: after a pause, or at once where a user asks or what the Job is made from is another one. Where a Job is known by its UID (`byUid`), another one of its name makes room, and counts for nothing.
 *
 * **Assumptions.** The Job that was seen is the operator's own (`SealedJobs`): to create one where another client's has its name is refused. The record is written before the actions are carried out (the decision's default order).
 */
export function runTask(wanted: WantedTask, seen: TaskSeen, now: Instant): TaskStep {
  const name = wanted.job.metadata.name ?? '';
  const earlier = seen.record?.subject === wanted.subject ? seen.record : undefined;
  if (earlier?.result === 'Succeeded') return { state: 'Succeeded', record: earlier, actions: [] };
  const record: TaskRecord = earlier ?? {
    purpose: wanted.purpose,
    subject: wanted.subject,
    job: name,
    startedAt: timestamp(now),
  };
  if (earlier?.result === 'Failed') return retry(wanted, seen, earlier, now);
  const stranger = strangerIn(wanted, seen, record);
  if (stranger) return makeRoom(record, stranger);
  const state = jobState(seen.job, now);
  switch (state.state) {
    case 'Missing':
      return {
        state: 'Running',
        record: begun(record, wanted),
        actions: [{ kind: 'create', descriptor: jobs, object: wanted.job, because: `${wanted.purpose} is due` }],
      };
    case 'Running':
    case 'Going':
      return { state: 'Running', record: wanted.byUid ? withJob(record, seen.job) : record, actions: [] };
    case 'Succeeded':
    case 'Failed':
      return {
        state: state.state,
        // How long ago a failure was is measured by the clock that set its time: ours may be apart from the cluster's.
        record: finished(
          withJob(record, seen.job),
          state.state === 'Failed' ? { ...state, at: now } : state,
          seen.output,
        ),
        actions: [],
        ...(state.state === 'Failed' ? lookAgain(wanted, record, now) : {}),
      };
  }
}

const withJob = (record: TaskRecord, job: Job | undefined): TaskRecord =>
  job === undefined ? record : { ...record, jobUID: job.metadata.uid };

/** The record of a task whose Job is about to be made. */
function begun({ jobUID: _jobUID, ...record }: TaskRecord, { definition }: WantedTask): TaskRecord {
  return definition === undefined ? record : { ...record, definition };
}

/** A Job that stands where the one was that is known by its UID. */
function strangerIn({ byUid }: WantedTask, { job }: TaskSeen, { jobUID }: TaskRecord): Job | undefined {
  if (job === undefined || byUid !== true) return undefined;
  return (jobUID ?? job.metadata.uid) === job.metadata.uid ? undefined : job;
}

function makeRoom(record: TaskRecord, stranger: Job): TaskStep {
  const because = 'it stands where the Job was that was seen, and what it says counts for nothing';
  const isGoing = stranger.metadata.deletionTimestamp !== undefined;
  return {
    state: 'Running',
    record,
    actions: isGoing ? [] : [{ kind: 'delete', descriptor: jobs, target: identityOf(stranger), because }],
  };
}

/** How much is kept of what the API says of a Job's end, in characters: others may write it. What the Job printed is bounded by itself. */
const reasonLength = 512;

function finished(
  record: TaskRecord,
  state: { readonly state: 'Succeeded' | 'Failed'; readonly at: Instant; readonly message: string },
  output: string | undefined,
): TaskRecord {
  const said = boundedOutput(output ?? '');
  const location = state.state === 'Succeeded' ? lastLine(said) : undefined;
  return {
    ...record,
    result: state.state,
    finishedAt: timestamp(state.at),
    attempts: (record.attempts ?? 0) + 1,
    message: [state.message.slice(0, reasonLength), said].filter((part) => part !== '').join('\n'),
    ...(location === undefined ? {} : { location }),
  };
}

const delayOf = (wanted: WantedTask, attempts: number): number =>
  Math.min((wanted.retryMs ?? 0) * 2 ** Math.max(0, attempts - 1), longestRetryMs);

function lookAgain(wanted: WantedTask, record: TaskRecord, now: Instant): { lookAgainAt?: Instant } {
  return wanted.retryMs === undefined ? {} : { lookAgainAt: now + delayOf(wanted, (record.attempts ?? 0) + 1) };
}

/** It is run again without a pause: a user asks, or has asked, or what failed was made from something else. */
function isDueNow({ again, definition, retryMs }: WantedTask, record: TaskRecord): boolean {
  const isChanged = record.definition !== undefined && definition !== undefined && record.definition !== definition;
  return again === true || record.again === true || (retryMs !== undefined && isChanged);
}

/** A failed task: final, waiting for its next attempt, or making room for it. */
function retry(wanted: WantedTask, seen: TaskSeen, failed: TaskRecord, now: Instant): TaskStep {
  const isDue = isDueNow(wanted, failed);
  const record: TaskRecord = isDue ? { ...failed, again: true } : failed;
  if (!isDue && wanted.retryMs === undefined) return { state: 'Failed', record, actions: [] };
  const finishedAt = instantOf(record.finishedAt) ?? now;
  const delay = delayOf(wanted, record.attempts ?? 1);
  if (!isDue && !isOver(finishedAt, delay, now))
    return { state: 'Failed', record, actions: [], lookAgainAt: atTheLatest(finishedAt, now) + delay };
  if (seen.job !== undefined) {
    const gone = seen.job.metadata.deletionTimestamp !== undefined;
    const because = `${wanted.purpose} has failed and is tried again`;
    return {
      state: 'Failed',
      record,
      actions: gone ? [] : [{ kind: 'delete', descriptor: jobs, target: identityOf(seen.job), because }],
    };
  }
  // The failed Job is gone: what counts from now on is the new one. How often it was tried stays.
  const { result: _result, finishedAt: _finishedAt, message: _message, again: _again, ...rest } = begun(record, wanted);
  return {
    state: 'Running',
    record: { ...rest, startedAt: timestamp(now) },
    actions: [{ kind: 'create', descriptor: jobs, object: wanted.job, because: `${wanted.purpose} is tried again` }],
  };
}
