import type { KVStoreCluster } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import type { Announcement, Decision, LastingFailure } from '@ordinal/lifecycle';
import { causeOfFailure, withLastingFailures } from '@ordinal/lifecycle';
import { retries } from '../annotations.ts';
import { backupAnnotation } from './backup.ts';
import type { BackupRecord } from './backup/records.ts';
import { drillAnnotation, newestEnded } from './drill/records.ts';
import { objectOf } from './observation.ts';

/** The condition that is true while a Job has failed that something waits for, or a user; and the reason of its events. */
const jobFailed = 'JobFailed';

type Hook = NonNullable<NonNullable<KVStoreCluster['status']>['hooks']>[number];

/** Whether something waits for what this Job was run for, so that its failure is no old story. */
export function isWanted({ purpose, subject, spent }: Hook, { metadata, spec, status }: KVStoreCluster): boolean {
  switch (purpose) {
    case 'BeforeUpgrade':
      return status?.upgrade !== undefined || status?.failedRevision !== undefined;
    case 'BeforeDelete':
    case 'FinalBackup':
      return metadata.deletionTimestamp !== undefined;
    case 'Backup':
      return metadata.annotations?.[backupAnnotation] === subject;
    case 'Prune':
      return spec.backup?.retention !== undefined && spec.backup.prune !== undefined;
    case 'Restore':
      return status?.phase === 'Failed';
    case 'Analysis':
    case 'RestoreDrill':
      return false; // Its failure is the upgrade's, or the drill's.
    default:
      return spent !== true;
  }
}

/** The backup that ended last; undefined where none has. */
export function newestBackup(backups: readonly BackupRecord[] = []): BackupRecord | undefined {
  const ended = backups.filter(({ result }) => result !== undefined);
  return [...ended].sort((a, b) => (a.finishedAt ?? '').localeCompare(b.finishedAt ?? '')).at(-1);
}

/** What a user can do about the failure of a Job. The deletion of a cluster goes on without a backup that is not required. */
function toHelp({ purpose }: Hook, cluster: KVStoreCluster): string {
  if (purpose === 'FinalBackup' && cluster.spec.backup?.onDelete === 'BestEffort') return 'the deletion goes on';
  return `to try it again: ${retries.command(objectOf(cluster))}`;
}

const hookFailure = (hook: Hook, cluster: KVStoreCluster): LastingFailure => ({
  reason: `${hook.purpose}Failed`,
  message: `the Job ${hook.job} (${hook.purpose}) has failed: ${causeOfFailure(hook.message)}; ${toHelp(hook, cluster)}`,
});

const another = (cluster: KVStoreCluster, annotation: string): string =>
  `to make another one: kubectl annotate ${objectOf(cluster)} ${annotation}="$(date +%s)" --overwrite`;

/** The failure of the backup that ended last, where that was not asked for by annotation. */
function backupFailure(cluster: KVStoreCluster, hooks: readonly Hook[]): readonly LastingFailure[] {
  const newest = newestBackup(cluster.status?.backups);
  if (newest?.result !== 'Failed' || hooks.some(({ job }) => job === newest.job)) return [];
  const { name, job, message } = newest;
  const failure = `the Job ${job} of the backup ${name} has failed: ${causeOfFailure(message)}`;
  return [{ reason: 'BackupFailed', message: `${failure}; ${another(cluster, backupAnnotation)}` }];
}

function drillFailure(cluster: KVStoreCluster): readonly LastingFailure[] {
  const newest = newestEnded(cluster.status?.drills ?? []);
  if (newest?.result !== 'Failed') return [];
  const { name, backup, message } = newest;
  const of = backup === undefined ? '' : ` of the backup ${backup}`;
  const failure = `the restore drill ${name}${of} has failed: ${causeOfFailure(message)}`;
  return [{ reason: 'RestoreDrillFailed', message: `${failure}; ${another(cluster, drillAnnotation)}` }];
}

/**
 * What has failed of a cluster's Jobs by its status, and still matters. The Job before a reduction has a reason of its own in `Degraded` and `Scaled`, and events of its own. Nothing of
 * backups and drills matters to a cluster that is being deleted.
 */
function failedJobs(cluster: KVStoreCluster): readonly LastingFailure[] {
  const hooks = (cluster.status?.hooks ?? []).filter((hook) => hook.result === 'Failed' && isWanted(hook, cluster));
  const ofHooks = hooks
    .filter(({ purpose }) => purpose !== 'BeforeScaleDown')
    .map((hook) => hookFailure(hook, cluster));
  if (cluster.metadata.deletionTimestamp !== undefined) return ofHooks;
  return [...ofHooks, ...backupFailure(cluster, hooks), ...drillFailure(cluster)];
}

const eventOf = (note: string): Announcement => ({ type: 'Warning', reason: jobFailed, note });

/** The decision, with the Jobs that its status says to have failed. Pure. */
export function withFailedJobs(decision: Decision, cluster: KVStoreCluster, now: Instant): Decision {
  const status = decision.status?.status as KVStoreCluster['status']; // Of this kind.
  const failures = status === undefined ? [] : failedJobs({ ...cluster, status });
  return withLastingFailures(decision, { type: jobFailed, failures, eventOf }, now);
}
