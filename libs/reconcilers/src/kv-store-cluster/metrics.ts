import type { KVStoreCluster } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import type { GaugeSample } from '../clustered-cache/index.ts';
import { instantOf } from '../decision/index.ts';

const help = {
  ordinal_kvstorecluster_upgrade_failed: '1 while the last upgrade has failed and nothing else is wanted. Alert on it.',
  ordinal_kvstorecluster_upgrade_seconds: 'For how long the upgrade that is under way has been.',
  ordinal_kvstorecluster_processing_error: '1 while reconciles fail.',
  ordinal_kvstorecluster_last_backup_seconds: 'How old the newest backup that succeeded is.',
} as const;

/** What the state of clusters says, as gauges: computed from the objects when metrics are read, so that no gauge outlives its object. */
export function kvStoreClusterMetrics(clusters: readonly KVStoreCluster[], now: Instant): GaugeSample[] {
  return clusters.flatMap(({ metadata, status }) => {
    const labels = { namespace: metadata.namespace ?? '', name: metadata.name };
    const gauge = (name: keyof typeof help, value: number): GaugeSample => ({ name, help: help[name], labels, value });
    const age = (since: string | undefined): number | undefined => {
      const moment = instantOf(since);
      return moment === undefined ? undefined : Math.max(0, (now - moment) / 1000);
    };
    const failed = status?.failedRevision !== undefined;
    const running = failed ? undefined : age(status?.upgrade?.startedAt);
    const backup = age(status?.lastBackup?.finishedAt);
    return [
      gauge('ordinal_kvstorecluster_upgrade_failed', failed ? 1 : 0),
      gauge('ordinal_kvstorecluster_processing_error', status?.processingError === undefined ? 0 : 1),
      ...(running === undefined ? [] : [gauge('ordinal_kvstorecluster_upgrade_seconds', running)]),
      ...(backup === undefined ? [] : [gauge('ordinal_kvstorecluster_last_backup_seconds', backup)]),
    ];
  });
}
