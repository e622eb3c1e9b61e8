import type { ClusteredCache } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { conditionOf } from '@ordinal/client';
import type { GaugeSample, Gauges } from '@ordinal/lifecycle';
import { samplesOf } from '@ordinal/lifecycle';
import { upgradeStateOf } from '../upgrade/metrics.ts';
import { upgradeGauges, upgradeSamples } from '../upgrade-gauges.ts';

const kind = 'clusteredcache';

/** The gauges of this kind: their names, what they say, and their labels beside the resource's. The operator serves exactly these. */
export const clusteredCacheGauges = {
  ...upgradeGauges(kind),
  ordinal_clusteredcache_gate_bypassed: {
    help: '1 after a member was taken down past its gate, until the next upgrade.',
  },
} as const satisfies Gauges;

/** What the state of caches says, as gauges: computed from the objects when metrics are read, so that no gauge outlives its object. */
export function clusteredCacheMetrics(caches: readonly ClusteredCache[], now: Instant): GaugeSample[] {
  return caches.flatMap((cache) => [...upgradeSamples(upgradeStateOf(cache, kind), now), ...bypassOf(cache)]);
}

function bypassOf(cache: ClusteredCache): GaugeSample[] {
  const isBypassed = conditionOf(cache.status?.conditions, 'GateBypassed')?.status === 'True';
  return samplesOf<keyof typeof clusteredCacheGauges>(cache, [['ordinal_clusteredcache_gate_bypassed', isBypassed]]);
}
