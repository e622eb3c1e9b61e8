import type { KVStoreCluster } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import type { GaugeSample } from '../clustered-cache/index.ts';
import { conditionOf, elapsedShare, instantOf } from '../decision/index.ts';
import { backupAnnotation } from './backup.ts';
import { recordedDeadline } from './lateness.ts';

const help = {
  ordinal_kvstorecluster_upgrade_failed: '1 while the last upgrade has failed and nothing else is wanted. Alert on it.',
  ordinal_kvstorecluster_upgrade_seconds: 'For how long the upgrade that is under way has been.',
  ordinal_kvstorecluster_upgrade_step_seconds: 'For how long the upgrade has been at its present step.',
  ordinal_kvstorecluster_upgrade_deadline_ratio:
    'How much of the progress deadline has passed since a member last came back. At 1 the upgrade fails.',
  ordinal_kvstorecluster_reduction_seconds: 'For how long a reduction of the replicas has waited.',
  ordinal_kvstorecluster_job_failed:
    '1 while a Job (a hook, a backup, a restore) that is still asked for or waited for has failed.',
  ordinal_kvstorecluster_processing_error: '1 while reconciles fail.',
  ordinal_kvstorecluster_last_backup_seconds: 'How old the newest backup that succeeded is.',
} as const;

type Hook = NonNullable<NonNullable<KVStoreCluster['status']>['hooks']>[number];

/** Whether something waits for what this Job was run for, so that its failure is no old story. */
function isWanted({ purpose, subject, spent }: Hook, { metadata, status }: KVStoreCluster): boolean {
  switch (purpose) {
    case 'BeforeUpgrade':
      return status?.upgrade !== undefined || status?.failedRevision !== undefined;
    case 'BeforeDelete':
    case 'FinalBackup':
      return metadata.deletionTimestamp !== undefined;
    case 'Backup':
      return metadata.annotations?.[backupAnnotation] === subject;
    case 'Restore':
      return status?.phase === 'Failed';
    case 'Analysis':
      return false; // Its failure is the upgrade's.
    default:
      return spent !== true;
  }
}

/** What the state of clusters says, as gauges: computed from the objects when metrics are read, so that no gauge outlives its object. */
export function kvStoreClusterMetrics(clusters: readonly KVStoreCluster[], now: Instant): GaugeSample[] {
  return clusters.flatMap((cluster) => {
    const { metadata, status } = cluster;
    const labels = { namespace: metadata.namespace ?? '', name: metadata.name };
    const gauge = (
      name: keyof typeof help,
      value: number,
      more: Readonly<Record<string, string>> = {},
    ): GaugeSample => ({ name, help: help[name], labels: { ...labels, ...more }, value });
    const age = (since: string | undefined): number | undefined => {
      const moment = instantOf(since);
      return moment === undefined ? undefined : Math.max(0, (now - moment) / 1000);
    };
    const failed = status?.failedRevision !== undefined;
    const upgrade = failed || metadata.deletionTimestamp !== undefined ? undefined : status?.upgrade;
    const running = age(upgrade?.startedAt);
    const standing = age(upgrade?.since);
    const used = upgrade && elapsedShare(upgrade.lastProgressAt, recordedDeadline(cluster), now);
    const scaled = conditionOf(status?.conditions, 'Scaled');
    const waiting = scaled?.status === 'False' ? age(scaled.lastTransitionTime) : undefined;
    const backup = age(status?.lastBackup?.finishedAt);
    return [
      gauge('ordinal_kvstorecluster_upgrade_failed', failed ? 1 : 0),
      gauge('ordinal_kvstorecluster_processing_error', status?.processingError === undefined ? 0 : 1),
      ...(running === undefined ? [] : [gauge('ordinal_kvstorecluster_upgrade_seconds', running)]),
      ...(standing === undefined
        ? []
        : [gauge('ordinal_kvstorecluster_upgrade_step_seconds', standing, { step: upgrade?.step ?? '' })]),
      ...(used === undefined
        ? []
        : [gauge('ordinal_kvstorecluster_upgrade_deadline_ratio', used, { step: upgrade?.step ?? '' })]),
      ...(waiting === undefined ? [] : [gauge('ordinal_kvstorecluster_reduction_seconds', waiting)]),
      ...(status?.hooks ?? []).map((hook) =>
        gauge('ordinal_kvstorecluster_job_failed', hook.result === 'Failed' && isWanted(hook, cluster) ? 1 : 0, {
          purpose: hook.purpose,
        }),
      ),
      ...(backup === undefined ? [] : [gauge('ordinal_kvstorecluster_last_backup_seconds', backup)]),
    ];
  });
}
