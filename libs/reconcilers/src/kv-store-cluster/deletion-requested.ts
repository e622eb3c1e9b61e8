import type { Instant } from '@ordinal/client';
import { purposeLabel } from '@ordinal/constructs';
import type { TaskStep } from '../task/index.ts';
import { hasEnded } from '../task/index.ts';
import { backupEvents, decideBackup } from './backup.ts';
import { whoHoldsJob } from './deletion-leftovers.ts';
import type { DeletionStep } from './deletion-step.ts';
import { step, waitUntilGone } from './deletion-step.ts';
import { claimsToMount, escape, isStopped, skips, untilStopped } from './deletion-tasks.ts';
import { mayHoldData } from './held-data.ts';
import { recordOf } from './jobs.ts';
import type { Observation } from './observation.ts';

/** The backup that was asked for and whose end is not recorded. One that had failed before was told then: whoever deletes the cluster may know. */
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

/** Its end is recorded before anything relies on it. A status write of our own wakes nobody: look again at once. */
const ended = (seen: Observation, run: TaskStep, now: Instant): DeletionStep =>
  step('Backup', `the Job ${run.record.job} has ended`, {
    tasks: [run],
    lookAgainAt: now,
    events: backupEvents(seen, run),
  });

/** Not recorded: its Job says that it has failed for as long as it is there, and a new one is made when somebody has deleted it. It is told by an event once. */
function held(seen: Observation, run: TaskStep): DeletionStep {
  const { job, subject, message = '' } = run.record;
  const { namespace = '' } = seen.cluster.metadata;
  const isTold = seen.cluster.status?.conditions?.some(
    ({ type, reason }) => type === 'Degraded' && reason === 'BackupFailed',
  );
  return step(
    'Backup',
    `the backup ${subject} failed, and the volumes go with the cluster: ${message}; to try it again: kubectl delete job -n ${namespace} ${job}; ${escape(seen, 'Backup')}`,
    { failed: true, events: isTold === true ? [] : backupEvents(seen, run) },
  );
}

/**
 * The backups that somebody has asked for, before the members go that they read from. Undefined when all have ended, or nobody waits for them.
 *
 * **Guarantees.** Volumes of which there may be no other backup do not go after one has failed meanwhile: a deletion can't be taken back, and whoever asked for both can
 * only be told now. It waits until that is tried again, or left out.
 */
export function requestedBackup(seen: Observation, now: Instant): DeletionStep | undefined {
  if (skips(seen, 'Backup') || seen.namespaceTerminating || !hasData(seen)) return undefined;
  const run = unended(seen, now);
  const waiting = run && untilStopped(seen, run, now);
  if (waiting) return waiting;
  if (run?.state === 'Failed' && mayBeTheOnlyOne(seen)) return held(seen, run);
  if (run && run.state !== 'Running') return ended(seen, run, now);
  const atWork = seen.jobs.filter((job) => job.metadata.labels?.[purposeLabel] === 'Backup' && !hasEnded(job, now));
  if (!run && atWork.length === 0) return undefined;
  const names = new Set([...atWork.map(({ metadata }) => metadata.name), ...(run ? [run.record.job] : [])]);
  const said = run?.blockedBy ?? `a backup that was asked for has not ended: Job ${[...names].join(', ')}`;
  const more = run ? { actions: run.actions, tasks: [run] } : {};
  return waitUntilGone(step('Backup', `${said}; ${escape(seen, 'Backup')}`, more), atWork, {
    now,
    command: whoHoldsJob,
  });
}
