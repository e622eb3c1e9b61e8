import type { KVStoreCluster } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { conditionOf, instantOf } from '@ordinal/client';
import type { GaugeSample, GaugeValue, Gauges } from '@ordinal/lifecycle';
import { nextRun, samplesOf, scheduleOf, secondsSince } from '@ordinal/lifecycle';
import { upgradeGauges, upgradeSamples } from '../upgrade-gauges.ts';
import { gateBypassed } from '../gate-bypasses.ts';
import type { DrillRecord } from './drill/records.ts';
import { newestEnded } from './drill/records.ts';
import { isWanted, newestBackup } from './failed-jobs.ts';
import { recordedDeadline } from './lateness.ts';
import { scaleDownFailed } from './scale.ts';

const kind = 'kvstorecluster';

/** The gauges of this kind: their names, what they say, and their labels beside the resource's. The operator serves exactly these. */
export const kvStoreClusterGauges = {
  ...upgradeGauges(kind),
  ordinal_kvstorecluster_reduction_failed: {
    help: '1 while the Job before a reduction has failed and the members stay. Alert on it.',
  },
  ordinal_kvstorecluster_gate_bypassed: {
    help: '1 after a member was taken down past its gates, until the next upgrade begins. Alert on it.',
  },
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

type Said = GaugeValue<keyof typeof kvStoreClusterGauges>;

/** What the state of clusters says, as gauges: computed from the objects when metrics are read, so that no gauge outlives its object. */
export function kvStoreClusterMetrics(clusters: readonly KVStoreCluster[], now: Instant): GaugeSample[] {
  return clusters.flatMap((cluster) => [
    ...upgradesOf(cluster, now),
    ...samplesOf(cluster, [...stateOf(cluster, now), ...scheduledOf(cluster, now)]),
  ]);
}

function upgradesOf(cluster: KVStoreCluster, now: Instant): GaugeSample[] {
  const { metadata, status } = cluster;
  const isUnderWay = status?.failedRevision === undefined && metadata.deletionTimestamp === undefined;
  const scaled = conditionOf(status?.conditions, 'Scaled');
  return upgradeSamples(
    {
      ...{ kind, resource: cluster, deadline: recordedDeadline(cluster) },
      upgrade: isUnderWay ? status?.upgrade : undefined,
      reducingSince: scaled?.status === 'False' ? scaled.lastTransitionTime : undefined,
      jobs: (status?.hooks ?? []).map((hook) => ({
        purpose: hook.purpose,
        hasFailed: hook.result === 'Failed' && isWanted(hook, cluster),
      })),
    },
    now,
  );
}

function stateOf({ status }: KVStoreCluster, now: Instant): readonly Said[] {
  const scaled = conditionOf(status?.conditions, 'Scaled');
  const hasReductionFailed = scaled?.status === 'False' && scaled.reason === scaleDownFailed;
  return [
    ['ordinal_kvstorecluster_reduction_failed', hasReductionFailed],
    ['ordinal_kvstorecluster_gate_bypassed', conditionOf(status?.conditions, gateBypassed)?.status === 'True'],
    ['ordinal_kvstorecluster_last_backup_seconds', secondsSince(status?.lastBackup?.finishedAt, now)],
    ['ordinal_kvstorecluster_backup_failed', newestFailed(status?.backups)],
    ...drillsIn(status?.drills),
  ];
}

/** Whether the newest drill that has a result has failed, and when the newest began that succeeded: from then on its backup is known to be good. */
function drillsIn(drills: readonly DrillRecord[] = []): readonly Said[] {
  const newest = newestEnded(drills);
  const began = instantOf(newestEnded(drills, 'Succeeded')?.startedAt);
  return [
    ['ordinal_kvstorecluster_drill_failed', newest && newest.result === 'Failed'],
    ['ordinal_kvstorecluster_drill_last_success_timestamp_seconds', began === undefined ? undefined : began / 1000],
  ];
}

/** Whether the backup that ended last has failed; undefined where none has ended. */
function newestFailed(backups: NonNullable<KVStoreCluster['status']>['backups']): boolean | undefined {
  const last = newestBackup(backups);
  return last && last.result === 'Failed';
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
