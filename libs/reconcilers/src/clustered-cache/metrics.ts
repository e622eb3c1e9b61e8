import type { ClusteredCache } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { conditionOf, elapsedShare, instantOf } from '../decision/index.ts';
import { recordedDeadline } from './lateness.ts';

/** One sample of a gauge. */
export interface GaugeSample {
  readonly name: string;
  readonly help: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const help = {
  ordinal_clusteredcache_upgrade_failed: '1 while the last upgrade has failed and nothing else is wanted. Alert on it.',
  ordinal_clusteredcache_upgrade_seconds: 'For how long the upgrade that is under way has been.',
  ordinal_clusteredcache_upgrade_step_seconds: 'For how long the upgrade has been at its present step.',
  ordinal_clusteredcache_upgrade_deadline_ratio:
    'How much of the progress deadline has passed since a member last came back. At 1 the upgrade fails.',
  ordinal_clusteredcache_reduction_seconds: 'For how long a reduction of the replicas has been under way.',
  ordinal_clusteredcache_gate_bypassed: '1 after a member was taken down past its gate, until the next upgrade.',
  ordinal_clusteredcache_processing_error: '1 while reconciles fail.',
} as const;

/** What the state of caches says, as gauges: computed from the objects when metrics are read, so that no gauge outlives its object. */
export function clusteredCacheMetrics(caches: readonly ClusteredCache[], now: Instant): GaugeSample[] {
  return caches.flatMap((cache) => {
    const { metadata, status } = cache;
    const labels = { namespace: metadata.namespace ?? '', name: metadata.name };
    const gauge = (
      name: keyof typeof help,
      value: number,
      more: Readonly<Record<string, string>> = {},
    ): GaugeSample => ({
      name,
      help: help[name],
      labels: { ...labels, ...more },
      value,
    });
    const upgrade = status?.upgrade;
    const secondsSince = (since: string): number => Math.max(0, (now - (instantOf(since) ?? now)) / 1000);
    const running = upgrade && upgrade.step !== 'Failed' ? upgrade : undefined;
    const used = running && elapsedShare(running.lastProgressAt ?? running.startedAt, recordedDeadline(cache), now);
    const shrinking = status?.shrinkingFrom === undefined ? undefined : conditionOf(status.conditions, 'Progressing');
    return [
      gauge(
        'ordinal_clusteredcache_upgrade_failed',
        status?.failedRevision === undefined && upgrade?.step !== 'Failed' ? 0 : 1,
      ),
      gauge(
        'ordinal_clusteredcache_gate_bypassed',
        conditionOf(status?.conditions, 'GateBypassed')?.status === 'True' ? 1 : 0,
      ),
      gauge('ordinal_clusteredcache_processing_error', status?.processingError === undefined ? 0 : 1),
      ...(running
        ? [
            gauge('ordinal_clusteredcache_upgrade_seconds', secondsSince(running.startedAt)),
            gauge('ordinal_clusteredcache_upgrade_step_seconds', secondsSince(running.since), { step: running.step }),
            ...(used === undefined
              ? []
              : [gauge('ordinal_clusteredcache_upgrade_deadline_ratio', used, { step: running.step })]),
          ]
        : []),
      ...(shrinking?.status === 'True'
        ? [gauge('ordinal_clusteredcache_reduction_seconds', secondsSince(shrinking.lastTransitionTime))]
        : []),
    ];
  });
}
