import type { ClusteredCacheStatus } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import type { Lateness as UpgradeLateness } from '../upgrade/lateness.ts';
import { latenessOf as latenessOfUpgrade } from '../upgrade/lateness.ts';
import { keptReplicas } from '../upgrade/kept-replicas.ts';
import { membersOf } from './members.ts';
import { cacheNaming } from './names.ts';
import type { CacheObservation } from './observe.ts';
import { observeRollout } from './rollout-observation.ts';
import { statusOf } from './status.ts';

/** What the deadline of an upgrade does while nothing else is decided about its cache. */
interface Lateness extends Pick<UpgradeLateness, 'failed' | 'events' | 'lookAgainAt'> {
  /** What the status says, beside what keeps the cache from being looked after. */
  readonly status: ClusteredCacheStatus | undefined;
}

/** What the deadline says of the upgrade of a cache that its status records. Undefined where none is under way. Pure. */
export function latenessOf(seen: CacheObservation, now: Instant): Lateness | undefined {
  const { cache } = seen;
  const observe: Parameters<typeof latenessOfUpgrade>[0]['observe'] = (wanted, deadlineMs) =>
    observeRollout(seen, { wanted, childrenPending: false, answers: new Map(), now, deadlineMs });
  const kept = keptReplicas(membersOf(seen));
  const late = latenessOfUpgrade({ object: cache, naming: cacheNaming, kept, observe }, now);
  if (!late) return undefined;
  const { findings, upgrade, ...rest } = late;
  if (findings) return { ...rest, status: statusOf({ ...findings, object: cache, cache }) };
  return { ...rest, status: upgrade ? { ...cache.status, upgrade } : cache.status };
}
