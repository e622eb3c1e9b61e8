import type { ClusteredCache, ClusteredCacheStatus } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { instantOf, timestamp } from '@ordinal/client';
import type { Announcement, RolloutObservation } from '@ordinal/lifecycle';
import { deadlineOf, giveUp } from '@ordinal/lifecycle';
import { keptReplicas } from './kept-replicas.ts';
import { cacheNaming } from './names.ts';
import type { CacheObservation } from './observe.ts';
import { observeRollout } from './rollout-observation.ts';
import { statusOf } from './status.ts';
import type { Goal } from './template.ts';

/** What the deadline of an upgrade does while nothing else is decided about its cache. */
export interface Lateness {
  /** The upgrade has failed, now or before: nothing is to be held any more. */
  readonly failed: boolean;
  /** What the status says, beside what keeps the cache from being looked after. */
  readonly status: ClusteredCacheStatus | undefined;
  readonly events: readonly Announcement[];
  /** The deadline, where it is still to come. */
  readonly lookAgainAt?: Instant;
}

type UpgradeStatus = NonNullable<ClusteredCacheStatus['upgrade']>;

/** The deadline of the upgrade that the status records; undefined where none is under way. */
export function recordedDeadline({ status }: ClusteredCache): Instant | undefined {
  const { upgrade } = status ?? {};
  return upgrade?.step === 'Failed' ? undefined : instantOf(upgrade?.deadline);
}

/** How long a member may take in an upgrade of which no deadline is recorded, in milliseconds. */
const usualMs = 15 * 60_000;

/** How long the next member may take by what the status says of it: a spec that is invalid is not followed in this, either. */
function deadlineMsOf({ startedAt, lastProgressAt = startedAt, deadline }: UpgradeStatus): number {
  const [from, until] = [instantOf(lastProgressAt), instantOf(deadline)];
  return from === undefined || until === undefined ? usualMs : until - from;
}

/** What the recorded upgrade leads to. What the spec asks for instead by now is not begun. */
function goalOf({ spec, status }: ClusteredCache, { revision }: UpgradeStatus): Goal {
  const { failedRevision, targetVersion = spec.image } = status ?? {};
  const specRevision = failedRevision ?? revision;
  const failed = failedRevision !== undefined;
  return { revision, specRevision, image: targetVersion, failed, rollingBack: specRevision !== revision };
}

/**
 * What the deadline says of the upgrade that the status records: it is examined in every reconcile (I19), also where nothing can be done about the upgrade itself.
 * Undefined where none is under way. Pure.
 */
export function latenessOf(seen: CacheObservation, now: Instant): Lateness | undefined {
  const { cache } = seen;
  const upgrade = cache.status?.upgrade;
  if (!upgrade) return undefined;
  const wanted = goalOf(cache, upgrade);
  const deadlineMs = deadlineMsOf(upgrade);
  const rollout = observeRollout(seen, { wanted, childrenPending: false, answers: new Map(), now, deadlineMs });
  const verdict = giveUp(rollout, now);
  if (!verdict || 'ask' in verdict) return underWay(seen, rollout, now);
  const { outcome } = verdict;
  // It is reported once.
  if (upgrade.step === 'Failed') return { failed: true, status: cache.status, events: [] };
  const status = statusOf({
    cache,
    object: cache,
    naming: cacheNaming,
    wanted,
    rollout,
    outcome,
    kept: keptReplicas(seen),
    now,
  });
  return { failed: true, status, events: outcome.events ?? [] };
}

/** It has time until its deadline, which a member that comes back puts off. What is recorded to be in the future, because the clock was set back, is now. */
function underWay({ cache: { status } }: CacheObservation, rollout: RolloutObservation, now: Instant): Lateness {
  const unchanged = { failed: false, status, events: [] };
  const deadline = deadlineOf(rollout);
  const { progress } = rollout;
  if (!progress || !status?.upgrade || deadline === undefined || deadline <= now) return unchanged;
  const { startedAt, lastProgressAt, updated } = progress;
  const moved = {
    ...{ ...status.upgrade, updated, deadline: timestamp(deadline) },
    ...{ startedAt: timestamp(startedAt), lastProgressAt: timestamp(lastProgressAt) },
  };
  return { ...unchanged, status: { ...status, upgrade: moved }, lookAgainAt: deadline };
}
