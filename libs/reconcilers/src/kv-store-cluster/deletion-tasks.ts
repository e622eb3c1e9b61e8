import type { Instant } from '@ordinal/client';
import type { TaskStep } from '@ordinal/lifecycle';
import { cleanUpStep, failsNow } from '@ordinal/lifecycle';
import { retries } from '../annotations.ts';
import { awaitGone, memberPods, namesOf } from './deletion-members.ts';
import type { DeletionStep } from './deletion-step.ts';
import { mayHoldData } from './held-data.ts';
import { clusterTask, isBackedUp } from './jobs.ts';
import { recordOf } from './records.ts';
import type { Observation } from './observation.ts';
import { objectOf, ordinalOfClaim } from './observation.ts';

/** The annotation that lets a deletion go on without a step: `BeforeDelete`, `Backup`, `FinalBackup`, or several with commas. */
export const skipAnnotation = 'ordinal.dev/skip';

/** How long after a failed Job of a deletion the next one is made, doubling with each, in milliseconds. */
const retryMs = 60_000;

/** What the annotation says already: a further step that is left out must not bring an earlier one back. */
const skippedIn = ({ cluster }: Pick<Observation, 'cluster'>): readonly string[] =>
  (cluster.metadata.annotations?.[skipAnnotation] ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Whether a user wants the deletion to go on without this step. */
export const skips = (seen: Pick<Observation, 'cluster'>, what: string): boolean => skippedIn(seen).includes(what);

/** The command that lets the deletion go on without this step. */
export function escape(seen: Observation, what: string): string {
  const value = [...skippedIn(seen).filter((part) => part !== what), what].join(',');
  return `to go on without it: kubectl annotate ${objectOf(seen.cluster)} ${skipAnnotation}=${value} --overwrite`;
}

/** The Job before a deletion, such as the release of what is outside. Undefined when it is done, or is not to be waited for. */
export function beforeDelete(seen: Observation, now: Instant): DeletionStep | undefined {
  const task = seen.cluster.spec.delete?.before;
  if (!task || skips(seen, 'BeforeDelete') || seen.namespaceTerminating) return undefined;
  // One that is added, or not left out any more, after the backup would have members serve on whose data is not backed up again.
  if (isBackedUp(seen.cluster)) return undefined;
  const run = clusterTask(seen, { purpose: 'BeforeDelete', subject: seen.cluster.metadata.uid, task, retryMs }, now);
  if (run.state === 'Succeeded') return recorded(seen, run, { what: 'BeforeDelete', now });
  return waitFor(seen, run, 'BeforeDelete');
}

/**
 * The final backup, while the members serve where that can be. Undefined when it is done, or is not to be waited for.
 *
 * **Caveats.** Members that go under a foreground cascade, or have lost their StatefulSet, are waited for, and what no controller takes down is taken down: the
 * Job mounts the claims then, which a member may hold.
 */
export function finalBackup(seen: Observation, now: Instant): DeletionStep | undefined {
  const { backup } = seen.cluster.spec;
  if (!backup || backup.onDelete === 'Skip' || skips(seen, 'FinalBackup')) return undefined;
  if (isBackedUp(seen.cluster)) return undefined;
  if (seen.namespaceTerminating) return undefined;
  // A cluster without data needs no backup, and an image that never started can't make one.
  if (!mayHoldData(seen)) return undefined;
  const run = clusterTask(
    seen,
    {
      purpose: 'FinalBackup',
      subject: seen.cluster.metadata.uid,
      task: backup.job,
      variables: { ORDINAL_BACKUP_NAME: `${seen.cluster.metadata.name}-final-${seen.cluster.metadata.uid}` },
      claims: claimsToMount(seen),
      ...(backup.onDelete === 'Required' ? { retryMs } : { once: true }),
    },
    now,
  );
  const waiting = untilStopped(seen, run, now);
  if (waiting) return waiting;
  const isOver = run.state === 'Succeeded' || (run.state === 'Failed' && backup.onDelete === 'BestEffort');
  if (isOver) return recorded(seen, run, { what: 'FinalBackup', now });
  return waitFor(seen, run, 'FinalBackup');
}

/**
 * Whether no member serves any more, or soon none will. While the garbage collector is at work, the cluster may be seen without its mark before the StatefulSet is seen to
 * be gone.
 */
export const isStopped = (seen: Observation): boolean =>
  underForeground(seen) || seen.statefulSet === undefined || seen.statefulSet.metadata.deletionTimestamp !== undefined;

/** The claims that a backup mounts which begins now: none while members serve, which hold them. */
export const claimsToMount = (seen: Observation): readonly { readonly name: string; readonly ordinal: number }[] =>
  isStopped(seen) ? claimsOf(seen) : [];

/** Waits for members that go, where a backup is about to begin which mounts what they hold. Undefined where it can begin, or has begun. */
export function untilStopped(seen: Observation, run: TaskStep, now: Instant): DeletionStep | undefined {
  const members = memberPods(seen);
  const begins = run.actions.some(({ kind }) => kind === 'create');
  if (!begins || !isStopped(seen) || members.length === 0) return undefined;
  const why = underForeground(seen)
    ? 'the members are being taken down by a foreground deletion'
    : 'the StatefulSet has gone before the backup';
  const isFinal = run.record.purpose === 'FinalBackup';
  const what = isFinal ? 'the final backup' : `the backup ${run.record.subject}`;
  const message = `${why}; ${what} begins when ${namesOf(members)} are gone`;
  return awaitGone(cleanUpStep(isFinal ? 'FinalBackup' : 'Backup', message), { cluster: seen.cluster, members }, now);
}

/** Undefined once the result stands in the status: what follows relies on it, also when the Job has been cleaned away. */
function recorded(
  seen: Observation,
  run: TaskStep,
  { what, now }: { readonly what: 'BeforeDelete' | 'FinalBackup'; readonly now: Instant },
): DeletionStep | undefined {
  if (recordOf(seen.cluster.status, what)?.result === run.state) return undefined;
  const failed = run.state === 'Failed';
  const message = failed
    ? `the Job ${run.record.job} failed, and the deletion goes on: ${run.record.message ?? ''}`
    : `the Job ${run.record.job} has succeeded`;
  // A status write of our own starts no reconcile: look again at once.
  return cleanUpStep(what, message, {
    tasks: [run],
    lookAgainAt: now,
    events: [
      { type: failed ? 'Warning' : 'Normal', reason: failed ? `${what}Failed` : `${what}Succeeded`, note: message },
    ],
  });
}

function waitFor(seen: Observation, run: TaskStep, what: 'BeforeDelete' | 'FinalBackup'): DeletionStep {
  const failed = run.state === 'Failed';
  const again = `to try it again at once: ${retries.command(objectOf(seen.cluster))}`;
  const said = failed ? `failed and is tried again: ${run.record.message ?? ''}; ${again}` : 'has not ended';
  return cleanUpStep(what, `the Job ${run.record.job} ${said}; ${escape(seen, what)}`, {
    actions: run.actions,
    tasks: [run],
    failed,
    ...(run.lookAgainAt === undefined ? {} : { lookAgainAt: run.lookAgainAt }),
    events:
      // Once for each failure, with the write that records it: it is counted by that.
      failsNow(recordOf(seen.cluster.status, what), run.record)
        ? [
            {
              type: 'Warning',
              reason: `${what}Failed`,
              note: `the Job ${run.record.job} failed: ${run.record.message ?? ''}`,
            },
          ]
        : [],
  });
}

/** Whether the garbage collector takes the members down whatever we do. */
export const underForeground = ({ cluster }: Observation): boolean =>
  cluster.metadata.finalizers?.includes('foregroundDeletion') ?? false;

function claimsOf({ cluster, claims }: Observation) {
  return claims
    .map((claim) => ({ name: claim.metadata.name, ordinal: ordinalOfClaim(cluster, claim) }))
    .filter((claim): claim is { name: string; ordinal: number } => claim.ordinal !== undefined)
    .sort((a, b) => a.ordinal - b.ordinal);
}
