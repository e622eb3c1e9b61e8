import type { KVStoreCluster } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { conditionOf, instantOf } from '@ordinal/client';
import type { GaugeSample, Gauges } from '@ordinal/lifecycle';
import { checkFailed, elapsedShare, nextRun, scheduleOf } from '@ordinal/lifecycle';
import type { DrillRecord } from './drill/records.ts';
import { newestEnded } from './drill/records.ts';
import { isWanted, newestBackup } from './failed-jobs.ts';
import { recordedDeadline } from './lateness.ts';
import { scaleDownFailed } from './scale.ts';

/** The gauges of this kind: their names, what they say, and their labels beside the resource's. The operator serves exactly these. */
export const kvStoreClusterGauges = {
  ordinal_kvstorecluster_upgrade_failed: {
    help: '1 while the last upgrade has failed and nothing else is wanted. Alert on it.',
  },
  ordinal_kvstorecluster_upgrade_seconds: { help: 'For how long the upgrade that is under way has been.' },
  ordinal_kvstorecluster_upgrade_step_seconds: {
    help: 'For how long the upgrade has been at its present step.',
    labels: ['step'],
  },
  ordinal_kvstorecluster_upgrade_deadline_ratio: {
    help: 'How much of the progress deadline has passed since a member last came back. At 1 the upgrade fails.',
    labels: ['step'],
  },
  ordinal_kvstorecluster_reduction_failed: {
    help: '1 while the Job before a reduction has failed and the members stay. Alert on it.',
  },
  ordinal_kvstorecluster_reduction_seconds: { help: 'For how long a reduction of the replicas has waited.' },
  ordinal_kvstorecluster_job_failed: {
    help: '1 while a Job (a hook, a backup, a restore) that is still asked for or waited for has failed.',
    labels: ['purpose'],
  },
  ordinal_kvstorecluster_check_failed: {
    help: '1 while a gate or another check of a member can’t be run, or its Job has failed, and something waits for it. Alert on it.',
  },
  ordinal_kvstorecluster_processing_error: { help: '1 while reconciles fail.' },
  ordinal_kvstorecluster_last_backup_seconds: { help: 'How old the newest backup that succeeded is.' },
  ordinal_kvstorecluster_backup_failed: { help: '1 while the backup that ended last has failed. Alert on it.' },
  ordinal_kvstorecluster_backup_overdue_seconds: {
    help: 'How long ago the first time of the schedule is after the newest one whose backup has succeeded.',
  },
  ordinal_kvstorecluster_backup_interval_seconds: {
    help: 'How long it is from that time of the schedule to the next.',
  },
  ordinal_kvstorecluster_drill_failed: { help: '1 while the restore drill that ended last has failed. Alert on it.' },
  ordinal_kvstorecluster_drill_last_success_timestamp_seconds: {
    help: 'When the newest restore drill began that succeeded, in seconds since 1970.',
  },
} as const satisfies Gauges;

/** A gauge's name, what it says, and its labels beside the cluster's. Nothing to say: it is left out. */
type Said = readonly [
  name: keyof typeof kvStoreClusterGauges,
  value: number | undefined,
  labels?: Readonly<Record<string, string>>,
];

/** What the state of clusters says, as gauges: computed from the objects when metrics are read, so that no gauge outlives its object. */
export function kvStoreClusterMetrics(clusters: readonly KVStoreCluster[], now: Instant): GaugeSample[] {
  return clusters.flatMap((cluster) => {
    const { namespace = '', name: of } = cluster.metadata;
    return [
      ...stateOf(cluster, now),
      ...upgradeOf(cluster, now),
      ...jobsOf(cluster),
      ...scheduledOf(cluster, now),
    ].flatMap(([name, value, more]) =>
      value === undefined ? [] : [{ name, labels: { namespace, name: of, ...more }, value }],
    );
  });
}

/** The seconds since a time that is written down; undefined where there is none. */
function age(since: string | undefined, now: Instant): number | undefined {
  const instant = instantOf(since);
  return instant === undefined ? undefined : Math.max(0, (now - instant) / 1000);
}

function stateOf({ status }: KVStoreCluster, now: Instant): readonly Said[] {
  const scaled = conditionOf(status?.conditions, 'Scaled');
  return [
    ['ordinal_kvstorecluster_upgrade_failed', Number(status?.failedRevision !== undefined)],
    ['ordinal_kvstorecluster_check_failed', Number(conditionOf(status?.conditions, checkFailed)?.status === 'True')],
    ['ordinal_kvstorecluster_processing_error', Number(status?.processingError !== undefined)],
    [
      'ordinal_kvstorecluster_reduction_failed',
      Number(scaled?.status === 'False' && scaled.reason === scaleDownFailed),
    ],
    [
      'ordinal_kvstorecluster_reduction_seconds',
      scaled?.status === 'False' ? age(scaled.lastTransitionTime, now) : undefined,
    ],
    ['ordinal_kvstorecluster_last_backup_seconds', age(status?.lastBackup?.finishedAt, now)],
    ['ordinal_kvstorecluster_backup_failed', newestFailed(status?.backups)],
    ...drillsIn(status?.drills),
  ];
}

/** Whether the newest drill that has a result has failed, and when the newest began that succeeded: from then on its backup is known to be good. */
function drillsIn(drills: readonly DrillRecord[] = []): readonly Said[] {
  const newest = newestEnded(drills);
  const began = instantOf(newestEnded(drills, 'Succeeded')?.startedAt);
  return [
    ['ordinal_kvstorecluster_drill_failed', newest && Number(newest.result === 'Failed')],
    ['ordinal_kvstorecluster_drill_last_success_timestamp_seconds', began === undefined ? undefined : began / 1000],
  ];
}

/** Whether the backup that ended last has failed: 1 or 0; undefined where none has ended. */
function newestFailed(backups: NonNullable<KVStoreCluster['status']>['backups']): number | undefined {
  const last = newestBackup(backups);
  return last && Number(last.result === 'Failed');
}

function upgradeOf(cluster: KVStoreCluster, now: Instant): readonly Said[] {
  const { metadata, status } = cluster;
  const upgrade = status?.upgrade;
  if (!upgrade || status.failedRevision !== undefined || metadata.deletionTimestamp !== undefined) return [];
  const step = { step: upgrade.step ?? '' };
  return [
    ['ordinal_kvstorecluster_upgrade_seconds', age(upgrade.startedAt, now)],
    ['ordinal_kvstorecluster_upgrade_step_seconds', age(upgrade.since, now), step],
    [
      'ordinal_kvstorecluster_upgrade_deadline_ratio',
      elapsedShare(upgrade.lastProgressAt, recordedDeadline(cluster), now),
      step,
    ],
  ];
}

/** How late the schedule is. A suspended one is not, nor one of a cluster that is being deleted. */
function scheduledOf({ metadata, spec, status }: KVStoreCluster, now: Instant): readonly Said[] {
  const { schedule } = spec.backup ?? {};
  const state = status?.backupSchedule;
  if (!schedule || !state || schedule.suspend === true || metadata.deletionTimestamp !== undefined) return [];
  const times = scheduleOf(schedule);
  const good = Math.max(instantOf(state.since) ?? 0, instantOf(state.lastSuccessfulAt) ?? 0);
  const first = nextRun(times, good);
  const second = first === undefined ? undefined : nextRun(times, first);
  if (first === undefined || second === undefined) return [];
  return [
    ['ordinal_kvstorecluster_backup_overdue_seconds', Math.max(0, (now - first) / 1000)],
    ['ordinal_kvstorecluster_backup_interval_seconds', (second - first) / 1000],
  ];
}

function jobsOf(cluster: KVStoreCluster): readonly Said[] {
  return (cluster.status?.hooks ?? []).map((hook) => [
    'ordinal_kvstorecluster_job_failed',
    Number(hook.result === 'Failed' && isWanted(hook, cluster)),
    { purpose: hook.purpose },
  ]);
}
