import type { Instant, Job } from '@ordinal/client';
import { instantOf } from '@ordinal/client';
import { purposeLabel, subjectAnnotation } from '@ordinal/constructs';
import type { TaskStep } from '@ordinal/lifecycle';
import { cleanUpStep, waitUntilGone, hasEnded, jobState } from '@ordinal/lifecycle';
import { backupAnnotation, backupEvents, decideBackup } from './backup.ts';
import { whoHoldsJob } from './deletion-leftovers.ts';
import type { DeletionStep } from './deletion-step.ts';
import { claimsToMount, escape, isStopped, skips, untilStopped } from './deletion-tasks.ts';
import { mayHoldData } from './held-data.ts';
import { recordOf } from './records.ts';
import type { Observation } from './observation.ts';
import { objectOf } from './observation.ts';

/** The backup that was asked for and whose end is not recorded. One that had failed before was reported then: the user who deletes the cluster may know. */
function unended(seen: Observation, now: Instant): TaskStep | undefined {
  const run = decideBackup(seen, now, claimsToMount(seen));
  const record = recordOf(seen.cluster.status, 'Backup');
  return record?.subject === run?.record.subject && record?.result === run?.state ? undefined : run;
}

/** There is something to back up. One that is asked for when the volumes go already comes too late. */
const hasData = (seen: Observation): boolean =>
  mayHoldData(seen) &&
  (!isStopped(seen) || seen.claims.some(({ metadata }) => metadata.deletionTimestamp === undefined));

/** The volumes go although no final backup has to succeed: this one may be the only one. */
export function mayBeTheOnlyOne(seen: Pick<Observation, 'cluster'>): boolean {
  const { deletionPolicy, backup } = seen.cluster.spec;
  const isRequired = backup?.onDelete === 'Required' && !skips(seen, 'FinalBackup');
  return deletionPolicy === 'Delete' && !isRequired;
}

/** Its end is recorded before anything relies on it. A status write of our own starts no reconcile: look again at once. */
const ended = (seen: Observation, run: TaskStep, now: Instant): DeletionStep =>
  cleanUpStep('Backup', `the Job ${run.record.job} has ended`, {
    tasks: [run],
    lookAgainAt: now,
    events: backupEvents(seen, run),
  });

/** A failed backup that may be the only one of its data, and how it is tried again. */
interface Lost {
  readonly subject: string;
  readonly message: string;
  readonly again: string;
}

/** Not recorded: its Job says that it has failed for as long as it is there. It is reported by an event once. */
function held(seen: Observation, { subject, message, again }: Lost): DeletionStep {
  const what = `the backup ${subject} failed`;
  const { conditions, backups } = seen.cluster.status ?? {};
  const isListed = backups?.some(({ name, result }) => name === subject && result === 'Failed');
  const isReported =
    isListed === true ||
    conditions?.some(
      ({ type, reason, message: text }) => type === 'Degraded' && reason === 'BackupFailed' && text.startsWith(what),
    );
  const event = { type: 'Warning', reason: 'BackupFailed', note: `${subject}: ${message}` } as const;
  return cleanUpStep(
    'Backup',
    `${what}, and the volumes go with the cluster: ${message}; to try it again${again}; ${escape(seen, 'Backup')}`,
    { failed: true, events: isReported === true ? [] : [event] },
  );
}

/** The one that was asked for last has failed: a new Job is made when a user has deleted this one. */
function lost({ cluster }: Observation, { record: { job, subject, message = '' } }: TaskStep): Lost {
  return { subject, message, again: `: kubectl delete job -n ${cluster.metadata.namespace ?? ''} ${job}` };
}

const quoted = (text: string): string => (/^[\w.:@/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/**
 * One that has failed since the cluster is being deleted, and whose end is not recorded: another one was asked for after it, or `spec.backup` has gone. Undefined
 * where the one that was asked for last has succeeded.
 */
function lostBeside(seen: Observation, now: Instant): Lost | undefined {
  const { cluster } = seen;
  const record = recordOf(cluster.status, 'Backup');
  const since = instantOf(cluster.metadata.deletionTimestamp) ?? now;
  if (record?.result === 'Succeeded') return undefined;
  const failed = seen.jobs.filter(isBackup).flatMap((job) => {
    const end = jobState(job, now);
    const isRecorded = record?.job === job.metadata.name && record.result !== undefined;
    return end.state === 'Failed' && end.at >= since && !isRecorded ? [{ job, message: end.message }] : [];
  });
  // Of several always the same: what is reported would change with the order in which they are seen.
  const [first] = failed.sort((a, b) => a.job.metadata.name.localeCompare(b.job.metadata.name));
  if (!first) return undefined;
  const { job, message } = first;
  const subject = job.metadata.annotations?.[subjectAnnotation] ?? '';
  const ask = `: kubectl annotate ${objectOf(cluster)} ${backupAnnotation}=${quoted(subject)} --overwrite`;
  return { subject, message, again: cluster.spec.backup ? ask : ', spec.backup has to be there again' };
}

/** A backup that was asked for has not succeeded, as far as is known. */
export const isUnmade = (seen: Observation, now: Instant): boolean =>
  !skips(seen, 'Backup') && mayHoldData(seen) && (unended(seen, now)?.state ?? 'Succeeded') !== 'Succeeded';

const isBackup = ({ metadata }: Job): boolean => metadata.labels?.[purposeLabel] === 'Backup';

/** Waits for what is at work, or about to begin. */
function untilEnded(
  seen: Observation,
  run: TaskStep | undefined,
  { atWork, now }: { readonly atWork: readonly Job[]; readonly now: Instant },
): DeletionStep {
  const names = new Set([...atWork.map(({ metadata }) => metadata.name), ...(run ? [run.record.job] : [])]);
  const said = run?.blockedBy ?? `a backup that was asked for has not ended: Job ${[...names].join(', ')}`;
  const more = run ? { actions: run.actions, tasks: [run] } : {};
  // What blocks it is an earlier Job, which has ended and goes.
  const awaited = run?.blockedBy === undefined ? atWork : seen.jobs.filter(isBackup);
  return waitUntilGone(cleanUpStep('Backup', `${said}; ${escape(seen, 'Backup')}`, more), awaited, {
    now,
    command: whoHoldsJob,
  });
}

/**
 * The backups that a user has asked for, before the members that they read from are deleted. Undefined when all have ended, or no step waits for them.
 *
 * **Guarantees.** Volumes of which there may be no other backup are not deleted after one has failed meanwhile: a deletion can't be taken back, and the user who asked
 * for both can only learn of it now. It waits until that is tried again, or left out.
 */
export function requestedBackup(seen: Observation, now: Instant): DeletionStep | undefined {
  if (skips(seen, 'Backup') || seen.namespaceTerminating || !hasData(seen)) return undefined;
  const run = unended(seen, now);
  const waiting = run && untilStopped(seen, run, now);
  if (waiting) return waiting;
  if (run?.state === 'Failed' && mayBeTheOnlyOne(seen)) return held(seen, lost(seen, run));
  if (run && run.state !== 'Running') return ended(seen, run, now);
  const atWork = seen.jobs.filter((job) => isBackup(job) && !hasEnded(job, now));
  if (run || atWork.length > 0) return untilEnded(seen, run, { atWork, now });
  const beside = mayBeTheOnlyOne(seen) ? lostBeside(seen, now) : undefined;
  return beside && held(seen, beside);
}
