import type { Instant, Pod } from '@ordinal/client';
import { jobs } from '@ordinal/client';
import { hashOf } from '@ordinal/constructs';
import type { Announcement, TaskStep } from '@ordinal/lifecycle';
import { identityOf, hasEnded, jobState } from '@ordinal/lifecycle';
import { retries } from '../annotations.ts';
import type { ClusterTask } from './jobs.ts';
import { clusterTask } from './jobs.ts';
import { isKnownToHoldData } from './held-data.ts';
import { recordOf } from './records.ts';
import type { Observation } from './observation.ts';
import { claimName, membersOf, objectOf } from './observation.ts';

/** The annotation that asks for a backup: its value is the backup's name, and another value asks for another one. */
export const backupAnnotation = 'ordinal.dev/backup';

/** How long a backup's name may be, in characters: it stands in the status, once for each backup. A longer one asks for nothing. */
const longestName = 253;

/**
 * The name of the backup that is asked for or, where the annotation was taken away, of the one whose end is not reported: a user who applies manifests prunes what
 * they do not name, and takes nothing back by that. None is begun for it, except before the data is deleted.
 */
function nameAskedFor({ cluster, jobs: made }: Observation): string | undefined {
  const { annotations, deletionTimestamp } = cluster.metadata;
  const name = annotations?.[backupAnnotation] ?? '';
  if (name !== '' && name.length <= longestName) return name;
  const record = recordOf(cluster.status, 'Backup');
  const isBegun = deletionTimestamp !== undefined || made.some(({ metadata }) => metadata.name === record?.job);
  return isBegun && record?.result === undefined ? record?.subject : undefined;
}

/**
 * The backup that was asked for by annotation, until its end is reported. Undefined where none was, or no Job for it is known.
 *
 * **Guarantees.** A name that was given to one before, and to another one since, makes a new one: what the Job of then says counts for nothing. Two of a name are not at
 * work at a time: they would write over each other.
 */
export function decideBackup(
  seen: Observation,
  now: Instant,
  claims: NonNullable<ClusterTask['claims']> = [],
): TaskStep | undefined {
  const name = nameAskedFor(seen);
  const { backup } = seen.cluster.spec;
  if (!backup || name === undefined) return undefined;
  const variables = { ORDINAL_BACKUP_NAME: name };
  const step = clusterTask(seen, { purpose: 'Backup', subject: name, task: backup.job, variables, claims }, now);
  return makingRoom(seen, step, now) ?? step;
}

/** The backup of a cluster that is not being deleted: none is begun before the first member has served, as there would be no member to read from. */
export function decideLivingBackup(seen: Observation, now: Instant): TaskStep | undefined {
  const step = decideBackup(seen, now);
  const hasServed = seen.cluster.status?.currentVersion !== undefined || membersOf(seen).some(({ ready }) => ready);
  return !hasServed && step?.actions.some(({ kind }) => kind === 'create') === true ? undefined : step;
}

/**
 * The Job of an earlier backup of this name goes when it has ended, as the new one is called the same. Until it is gone the record stays that of the backup in between, which
 * distinguishes the two.
 */
function makingRoom({ cluster, jobs: made }: Observation, { record }: TaskStep, now: Instant): TaskStep | undefined {
  const between = recordOf(cluster.status, 'Backup');
  const job = made.find(({ metadata }) => metadata.name === record.job);
  if (between === undefined || between.subject === record.subject || job === undefined) return undefined;
  const because = 'it made an earlier backup of this name, and another one is asked for';
  const mayDelete = job.metadata.deletionTimestamp === undefined && hasEnded(job, now);
  return {
    state: 'Running',
    record: between,
    actions: mayDelete ? [{ kind: 'delete', descriptor: jobs, target: identityOf(job), because }] : [],
    blockedBy: `waiting until the Job ${record.job} of an earlier backup of this name is gone`,
  };
}

/** A backup's end is reported once, when it is recorded. */
export function backupEvents({ cluster }: Observation, { record }: TaskStep): readonly Announcement[] {
  const again =
    cluster.metadata.deletionTimestamp === undefined ? `; to try it again: ${retries.command(objectOf(cluster))}` : '';
  if (record.result === undefined || recordOf(cluster.status, 'Backup')?.result === record.result) return [];
  return record.result === 'Succeeded'
    ? [{ type: 'Normal', reason: 'BackupSucceeded', note: `${record.subject}: ${record.location ?? 'done'}` }]
    : [{ type: 'Warning', reason: 'BackupFailed', note: `${record.subject}: ${record.message ?? ''}${again}` }];
}

/** It has a StatefulSet, takes back one that an earlier cluster of its name has left, or has pods that hold its volumes: they have lost theirs. */
function hasMembers({ statefulSet, unowned, pods, claims }: Observation): boolean {
  const ours = new Set(claims.map(({ metadata }) => metadata.name));
  const holds = ({ spec }: Pod): boolean =>
    spec.volumes?.some(({ persistentVolumeClaim }) => ours.has(persistentVolumeClaim?.claimName ?? '')) ?? false;
  return statefulSet !== undefined || unowned !== undefined || pods.some(holds);
}

/** What was restored: once that has succeeded it is final, whatever the spec asks for since. Members may have written over it. */
function restored({ cluster, jobs }: Observation, now: Instant): string | undefined {
  const record = recordOf(cluster.status, 'Restore');
  const job = jobs.find(({ metadata }) => metadata.name === record?.job);
  const isDone = record?.result === 'Succeeded' || jobState(job, now).state === 'Succeeded';
  return isDone ? record?.subject : undefined;
}

/** The annotation that lets a restore write over volumes that an earlier cluster has left. Its value is the UID of the cluster that it is for, and of no later one. */
const restoreOverAnnotation = 'ordinal.dev/restore-over';

/** Those of these volumes that would be written over: what an earlier cluster has left, or the cluster's own where it may have served. Says what can be done. */
function inTheWay({ cluster, foreignClaims, claims }: Observation, wanted: readonly string[]): string | undefined {
  const namesOf = (found: Observation['claims']): string =>
    found.flatMap(({ metadata: { name } }) => (wanted.includes(name) ? [name] : [])).join(', ');
  const left = namesOf(foreignClaims);
  if (left !== '') return `an earlier cluster has left ${left}: delete them`;
  const own = isKnownToHoldData(cluster) ? namesOf(claims) : '';
  if (own === '') return undefined;
  return `no restore is on record, and ${own} may hold data: to keep it, set deletionPolicy to Retain, delete the cluster and create it without restoreFrom`;
}

/** The step, except that no Job is made over volumes that a user may have kept for their data, before a user has confirmed it. */
function keepingVolumes(seen: Observation, step: TaskStep, claims: readonly string[]): TaskStep {
  const { annotations, uid } = seen.cluster.metadata;
  const kept = inTheWay(seen, claims);
  const begins = step.actions.some(({ kind }) => kind === 'create');
  if (!begins || kept === undefined || annotations?.[restoreOverAnnotation] === uid) return step;
  const command = `kubectl annotate ${objectOf(seen.cluster)} ${restoreOverAnnotation}=${uid} --overwrite`;
  const blockedBy = `${kept}, or, to write over their data: ${command}`;
  return { ...step, state: 'Failed', actions: [], blockedBy };
}

/**
 * The restore that a new cluster begins with: the Job gets every member's volume at `/claims/ORDINAL` before any member starts. Undefined where the spec has
 * none, or the cluster has members already.
 *
 * **Guarantees.** No Job is made once one has succeeded, nor while there is a StatefulSet or a pod that holds a volume, by what the API server says at that time. Nor over
 * volumes of an earlier cluster, or its own that may hold data, unless the annotation says so.
 */
export function decideRestore(seen: Observation, now: Instant): TaskStep | undefined {
  const { restoreFrom, replicas } = seen.cluster.spec;
  if (!restoreFrom || hasMembers(seen) || seen.cluster.status?.currentVersion !== undefined) return undefined;
  const claims = Array.from({ length: replicas }, (_, ordinal) => ({
    ordinal,
    name: claimName(seen.cluster, ordinal),
  }));
  const step = clusterTask(
    seen,
    // Another Job, or another number of members, is another restore.
    {
      purpose: 'Restore',
      subject: restored(seen, now) ?? hashOf([restoreFrom, replicas]),
      task: restoreFrom.job,
      variables: {
        ORDINAL_BACKUP_NAME: restoreFrom.backup,
        ...(restoreFrom.location === undefined ? {} : { ORDINAL_BACKUP_LOCATION: restoreFrom.location }),
      },
      claims,
    },
    now,
  );
  const names = claims.map(({ name }) => name);
  return keepingVolumes(seen, step, names);
}
