import type { ClusteredCache } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { conditionOf } from '@ordinal/client';
import type { GaugeSample, Gauges } from '@ordinal/lifecycle';
import { samplesOf } from '@ordinal/lifecycle';
import { failedHooks } from '../upgrade/failed-jobs.ts';
import { upgradeGauges, upgradeSamples } from '../upgrade-gauges.ts';
import { recordedDeadline } from './lateness.ts';

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
  return caches.flatMap((cache) => [...upgradesOf(cache, now), ...bypassOf(cache)]);
}

function bypassOf(cache: ClusteredCache): GaugeSample[] {
  const isBypassed = conditionOf(cache.status?.conditions, 'GateBypassed')?.status === 'True';
  return samplesOf<keyof typeof clusteredCacheGauges>(cache, [['ordinal_clusteredcache_gate_bypassed', isBypassed]]);
}

function upgradesOf(cache: ClusteredCache, now: Instant): GaugeSample[] {
  const { upgrade, shrinkingFrom, hooks = [], conditions } = cache.status ?? {};
  const failed = failedHooks(cache);
  const shrinking = shrinkingFrom === undefined ? undefined : conditionOf(conditions, 'Progressing');
  return upgradeSamples(
    {
      ...{ kind, resource: cache, deadline: recordedDeadline(cache) },
      upgrade: upgrade?.step === 'Failed' ? undefined : upgrade,
      reducingSince: shrinking?.status === 'True' ? shrinking.lastTransitionTime : undefined,
      jobs: hooks.map((hook) => ({ purpose: hook.purpose, hasFailed: failed.includes(hook) })),
    },
    now,
  );
}
