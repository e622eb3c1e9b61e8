import type { Instant } from '@ordinal/client';
import { hashOf } from '@ordinal/constructs';
import type { TaskStep } from '../task/index.ts';
import { clusterTask } from './jobs.ts';
import type { Observation } from './observation.ts';
import { claimName } from './observation.ts';

/** The annotation that asks for a backup: its value is the backup's name, and another value asks for another one. */
export const backupAnnotation = 'ordinal.dev/backup';

/** The backup that was asked for by annotation. Undefined where none was, or no Job for it is known. */
export function decideBackup(seen: Observation, now: Instant): TaskStep | undefined {
  const name = seen.cluster.metadata.annotations?.[backupAnnotation];
  const { backup } = seen.cluster.spec;
  if (!backup || name === undefined || name === '') return undefined;
  return clusterTask(
    seen,
    { purpose: 'Backup', subject: name, task: backup.job, variables: { ORDINAL_BACKUP_NAME: name } },
    now,
  );
}

/** It has a StatefulSet, or takes back one that an earlier cluster of its name has left. */
const hasMembers = ({ statefulSet, unowned }: Observation): boolean =>
  statefulSet !== undefined || unowned !== undefined;

/**
 * The restore that a new cluster begins with: the Job gets every member's volume at `/claims/ORDINAL` before any member starts. Undefined where the spec has
 * none, or the cluster has members already.
 */
export function decideRestore(seen: Observation, now: Instant): TaskStep | undefined {
  const { restoreFrom, replicas } = seen.cluster.spec;
  if (!restoreFrom || hasMembers(seen) || seen.cluster.status?.currentVersion !== undefined) return undefined;
  const claims = Array.from({ length: replicas }, (_, ordinal) => ({
    ordinal,
    name: claimName(seen.cluster, ordinal),
  }));
  return clusterTask(
    seen,
    // Another Job, or another number of members, is another restore.
    {
      purpose: 'Restore',
      subject: hashOf([restoreFrom, replicas]),
      task: restoreFrom.job,
      variables: { ORDINAL_BACKUP_NAME: restoreFrom.backup },
      claims,
    },
    now,
  );
}
