import type { Instant } from '@ordinal/client';
import type { CleanUpRule } from '@ordinal/lifecycle';
import { cleanUpStep, firstStep } from '@ordinal/lifecycle';
import { deleteJobs, deleteVolumes, endWriters } from './deletion-leftovers.ts';
import { stopMembers } from './deletion-members.ts';
import type { DeletionStep } from './deletion-step.ts';
import { awaitOrphans, orphan } from './deletion-orphans.ts';
import { isUnmade, requestedBackup } from './deletion-requested.ts';
import { beforeDelete, finalBackup, skips, underForeground } from './deletion-tasks.ts';
import { mayHoldData } from './held-data.ts';
import { isBackedUp } from './jobs.ts';
import type { Observation } from './observation.ts';

/**
 * The next step of a cluster's deletion.
 *
 * **Expected flow.** The Job before the deletion; the end of Jobs that write; backups that were asked for and the final one, while the members serve. The
 * StatefulSet down and every pod gone; the Jobs whose results are not needed any more; the volumes, by policy; then nothing is left to do (`Released`) and the
 * finalizer is removed.
 *
 * **Guarantees.** Volumes go last, and only with a UID precondition, and only those that carry this cluster's UID (S0.11, I11, I13). Without a policy they
 * go only after a final backup that succeeded. What a step relies on stands in the status first, so each resumes from the API alone (I14).
 *
 * **Assumptions.** Under a foreground cascade the pods are being taken down by the garbage collector whatever we do; the backup's Job then waits until they
 * are gone and mounts the claims (S0.12). So it does where the StatefulSet goes before, and members that it has left are taken down for it. In a namespace that
 * is being deleted no Job can be made; the steps that need one are left out, and that is said (S0.13).
 */
export function decideDeletion(seen: Observation, now: Instant): DeletionStep {
  return firstStep(rules, seen, now) ?? cleanUpStep('Released', 'everything is cleaned up');
}

const rules: readonly CleanUpRule<Observation, DeletionStep['reason']>[] = [
  beforeDelete,
  orphanMembers,
  endWriters,
  requestedBackup,
  finalBackup,
  stopMembers,
  deleteJobs,
  deleteVolumes,
];

/** A deletion that orphans leaves the members and their volumes, so nothing has to be backed up. */
function orphanMembers(seen: Observation, now: Instant): DeletionStep | undefined {
  if (seen.cluster.metadata.finalizers?.includes(orphan)) return awaitOrphans(seen, now);
  if (!seen.orphaned) return undefined;
  return (
    deleteJobs(seen, now) ??
    cleanUpStep('Released', 'its members and volumes were left to themselves, as the deletion asked (--cascade=orphan)')
  );
}

/** What of the way in which the cluster is deleted its owner should know, in sentences. */
export function circumstances(seen: Observation, now: Instant): readonly string[] {
  const skipped = leftOut(seen, now);
  return [
    ...(underForeground(seen)
      ? [
          'the deletion is a foreground cascade: the garbage collector takes the members down at once, and waits for no step',
        ]
      : []),
    ...(seen.namespaceTerminating
      ? ['the namespace is being deleted: the volumes go with it, whatever the policy says']
      : []),
    ...(skipped === undefined ? [] : [skipped]),
  ];
}

/** Whether a final backup that is required can't be made any more, because the namespace is being deleted: nothing refused that, or another client has overridden it. */
export function losesRequiredBackup(seen: Observation): boolean {
  const { backup } = seen.cluster.spec;
  const isRequired = backup?.onDelete === 'Required' && !skips(seen, 'FinalBackup') && mayHoldData(seen);
  return seen.namespaceTerminating && isRequired && !isBackedUp(seen.cluster);
}

/** What a deletion leaves out, in a sentence; undefined where it leaves nothing out. */
export function leftOut(seen: Observation, now: Instant): string | undefined {
  const { backup, delete: hooks } = seen.cluster.spec;
  if (!seen.namespaceTerminating) return undefined;
  const jobs = [
    ...(hooks?.before ? ['the Job before the deletion'] : []),
    ...(backup && backup.onDelete !== 'Skip' && !isBackedUp(seen.cluster) ? ['the final backup'] : []),
  ];
  const said = [
    ...(jobs.length > 0 ? [`${jobs.join(' and ')} did not run`] : []),
    ...(isUnmade(seen, now) ? ['a backup that was asked for was not waited for'] : []),
  ];
  if (said.length === 0) return undefined;
  return `the namespace is being deleted, where no Job can be made: ${said.join(', and ')}`;
}
