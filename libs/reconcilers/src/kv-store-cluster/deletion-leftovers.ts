import type { Instant, Job, KubernetesObject } from '@ordinal/client';
import { jobs, persistentVolumeClaims } from '@ordinal/client';
import { purposeLabel } from '@ordinal/constructs';
import {
  cleanUpStep,
  endObsolete,
  exclusiveAtWork,
  forcePod,
  waitUntilGone,
  identityOf,
  hasEnded,
} from '@ordinal/lifecycle';
import { namesOf } from './deletion-members.ts';
import type { DeletionStep } from './deletion-step.ts';
import { isAwaited, jobsOf } from './exclusive-jobs.ts';
import { isBackedUp } from './jobs.ts';
import type { Observation } from './observation.ts';
import { releaseClaims } from './volumes.ts';

/** Whether the volumes go with the cluster. */
function deletesVolumes({ cluster }: Pick<Observation, 'cluster'>): boolean {
  const { deletionPolicy } = cluster.spec;
  if (deletionPolicy !== undefined) return deletionPolicy === 'Delete';
  return isBackedUp(cluster);
}

/** The volumes, where a policy or a backup lets them go. Undefined when none is left that goes. */
export function deleteVolumes(seen: Observation, now: Instant): DeletionStep | undefined {
  if (seen.claims.length === 0 || !deletesVolumes(seen)) return undefined;
  const going = seen.claims.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const because =
    seen.cluster.spec.deletionPolicy === 'Delete' ? 'deletionPolicy is Delete' : 'the final backup has succeeded';
  const waiting = cleanUpStep('DeletingVolumes', `waiting until ${namesOf(seen.claims)} are gone`, {
    actions: [
      ...releaseClaims(seen, seen.claims),
      ...going.map(
        (claim) =>
          ({ kind: 'delete', descriptor: persistentVolumeClaims, target: identityOf(claim), because }) as const,
      ),
    ],
  });
  const command = ({ namespace = '', name }: KubernetesObject['metadata']): string =>
    `kubectl describe pvc -n ${namespace} ${name} (it says who uses it)`;
  return waitUntilGone(waiting, seen.claims, { now, command });
}

/** Purposes whose Jobs outlive the cluster: they say that a backup was made, and where it is. */
const kept: ReadonlySet<string> = new Set(['FinalBackup', 'Backup']);

/**
 * It is a backup that has ended, or stands recorded as a success. No step waits any more for one that is at work, except where the deletion orphans the members: it
 * reads from them.
 */
function outlives({ cluster, orphaned }: Observation, job: Job, now: Instant): boolean {
  const purpose = job.metadata.labels?.[purposeLabel] ?? '';
  if (!kept.has(purpose)) return false;
  if (orphaned && purpose === 'Backup') return true;
  return hasEnded(job, now) || isRecorded(cluster, job);
}

const isRecorded = ({ status }: Observation['cluster'], { metadata }: Job): boolean =>
  status?.hooks?.some(({ job, result }) => job === metadata.name && result === 'Succeeded') ?? false;

/**
 * Ends the Jobs that write (a migration, the move of data off a member, a restore): no step waits for them any more, and a final backup beside them would be made
 * of data that changes under it. Undefined when none is at work. In a namespace that is being deleted they end by themselves, and nothing is backed up.
 */
export function endWriters(seen: Observation, now: Instant): DeletionStep | undefined {
  const writers = exclusiveAtWork(jobsOf(seen), now);
  if (writers.length === 0 || seen.namespaceTerminating) return undefined;
  const message = `waiting until ${namesOf(writers)} are gone, which may write`;
  const actions = endObsolete(
    jobsOf(seen),
    (job) => isAwaited(seen, job, { upgrade: { record: undefined }, tasks: [] }),
    now,
  );
  const isJob = (uid: string): boolean => seen.jobs.some(({ metadata }) => metadata.uid === uid);
  return waitUntilGone(cleanUpStep('DeletingJobs', message, { actions }), writers, {
    now,
    command: (metadata) => (isJob(metadata.uid) ? whoHoldsJob(metadata) : forcePod(metadata)),
  });
}

/** How to find out who keeps a Job from going. */
export const whoHoldsJob = ({ namespace = '', name }: KubernetesObject['metadata']): string =>
  `kubectl get job -n ${namespace} ${name} -o yaml (its finalizers say who holds it)`;

/**
 * The other Jobs carry no owner reference, so that the garbage collector would leave them and their pods forever. They go before the volumes that a
 * restore may still mount, or a backup that is left out, and are seen to be gone, with their pods, before anything relies on it.
 */
export function deleteJobs(seen: Observation, now: Instant): DeletionStep | undefined {
  const obsolete = seen.jobs.filter((job) => !outlives(seen, job, now));
  if (obsolete.length === 0) return undefined;
  const because = 'its cluster is being deleted, and its result is not needed any more';
  const waiting = cleanUpStep('DeletingJobs', `waiting until ${namesOf(obsolete)} are gone`, {
    actions: obsolete
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map((job) => ({
        kind: 'delete',
        descriptor: jobs,
        target: identityOf(job),
        ...(kept.has(job.metadata.labels?.[purposeLabel] ?? '') && { resourceVersion: job.metadata.resourceVersion }),
        propagation: 'Foreground',
        because,
      })),
  });
  return waitUntilGone(waiting, obsolete, { now, command: whoHoldsJob });
}
