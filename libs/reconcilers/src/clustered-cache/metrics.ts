import type { ClusteredCache } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { conditionOf, instantOf } from '@ordinal/client';
import type { GaugeSample, Gauges } from '@ordinal/lifecycle';
import { checkFailed, elapsedShare } from '@ordinal/lifecycle';
import { failedHooks } from '../upgrade/failed-jobs.ts';
import { recordedDeadline } from './lateness.ts';

/** The gauges of this kind: their names, what they say, and their labels beside the resource's. The operator serves exactly these. */
export const clusteredCacheGauges = {
  ordinal_clusteredcache_upgrade_failed: {
    help: '1 while the last upgrade has failed and nothing else is wanted. Alert on it.',
  },
  ordinal_clusteredcache_upgrade_seconds: { help: 'For how long the upgrade that is under way has been.' },
  ordinal_clusteredcache_upgrade_step_seconds: {
    help: 'For how long the upgrade has been at its present step.',
    labels: ['step'],
  },
  ordinal_clusteredcache_upgrade_deadline_ratio: {
    help: 'How much of the progress deadline has passed since a member last came back. At 1 the upgrade fails.',
    labels: ['step'],
  },
  ordinal_clusteredcache_reduction_seconds: { help: 'For how long a reduction of the replicas has been under way.' },
  ordinal_clusteredcache_gate_bypassed: {
    help: '1 after a member was taken down past its gate, until the next upgrade.',
  },
  ordinal_clusteredcache_job_failed: {
    help: '1 while a Job (a hook) that is still asked for or waited for has failed.',
    labels: ['purpose'],
  },
  ordinal_clusteredcache_check_failed: {
    help: '1 while a gate or another check of a member can’t be run, or its Job has failed, and something waits for it. Alert on it.',
  },
  ordinal_clusteredcache_processing_error: { help: '1 while reconciles fail.' },
} as const satisfies Gauges;

/** A gauge's name, what it says, and its labels beside the cache's. Nothing to say: it is left out. */
type Said = readonly [
  name: keyof typeof clusteredCacheGauges,
  value: number | undefined,
  labels?: Readonly<Record<string, string>>,
];

/** What the state of caches says, as gauges: computed from the objects when metrics are read, so that no gauge outlives its object. */
export function clusteredCacheMetrics(caches: readonly ClusteredCache[], now: Instant): GaugeSample[] {
  return caches.flatMap((cache) => {
    const { namespace = '', name: of } = cache.metadata;
    return [...stateOf(cache, now), ...upgradeOf(cache, now), ...jobsOf(cache)].flatMap(([name, value, more]) =>
      value === undefined ? [] : [{ name, labels: { namespace, name: of, ...more }, value }],
    );
  });
}

const secondsSince = (since: string, now: Instant): number => Math.max(0, (now - (instantOf(since) ?? now)) / 1000);

function stateOf({ status }: ClusteredCache, now: Instant): readonly Said[] {
  const hasFailed = status?.failedRevision !== undefined || status?.upgrade?.step === 'Failed';
  const bypassed = conditionOf(status?.conditions, 'GateBypassed')?.status === 'True';
  const hasFailedCheck = conditionOf(status?.conditions, checkFailed)?.status === 'True';
  const shrinking = status?.shrinkingFrom === undefined ? undefined : conditionOf(status.conditions, 'Progressing');
  return [
    ['ordinal_clusteredcache_upgrade_failed', Number(hasFailed)],
    ['ordinal_clusteredcache_gate_bypassed', Number(bypassed)],
    ['ordinal_clusteredcache_check_failed', Number(hasFailedCheck)],
    ['ordinal_clusteredcache_processing_error', Number(status?.processingError !== undefined)],
    [
      'ordinal_clusteredcache_reduction_seconds',
      shrinking?.status === 'True' ? secondsSince(shrinking.lastTransitionTime, now) : undefined,
    ],
  ];
}

/** Whether the Jobs on record have failed, as long as something waits for what they were run for. */
function jobsOf(cache: ClusteredCache): readonly Said[] {
  const failed = failedHooks(cache);
  return (cache.status?.hooks ?? []).map((hook) => [
    'ordinal_clusteredcache_job_failed',
    Number(failed.includes(hook)),
    { purpose: hook.purpose },
  ]);
}

function upgradeOf(cache: ClusteredCache, now: Instant): readonly Said[] {
  const upgrade = cache.status?.upgrade;
  if (upgrade === undefined || upgrade.step === 'Failed') return [];
  const { startedAt, since, step, lastProgressAt = startedAt } = upgrade;
  return [
    ['ordinal_clusteredcache_upgrade_seconds', secondsSince(startedAt, now)],
    ['ordinal_clusteredcache_upgrade_step_seconds', secondsSince(since, now), { step }],
    [
      'ordinal_clusteredcache_upgrade_deadline_ratio',
      elapsedShare(lastProgressAt, recordedDeadline(cache), now),
      { step },
    ],
  ];
}
