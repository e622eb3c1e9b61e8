import type { Instant } from '@ordinal/client';
import { earliest } from '../decision/index.ts';
import type { RolloutOutcome, Verdict } from '../rollout/outcome.ts';
import { asksFirst } from '../rollout/policy.ts';
import type { Actuator } from '../rollout/rollout.ts';
import { aheadFrom } from './ahead.ts';
import { releaseCanary } from './canaries.ts';
import type { Held } from './hold.ts';
import { hold, holdUpTo } from './hold.ts';
import { awaitFormer, awaitTakenUp, bringBack, releaseHighest } from './next.ts';
import type { PartitionObservation } from './observation.ts';
import { releaseThroughGates } from './release.ts';
import type { Released } from './release.ts';

/** What the StatefulSet should be now, and why. */
export interface PartitionMove extends Held, Pick<Released, 'replace' | 'actions' | 'ask' | 'closed' | 'lookAgainAt'> {
  /** What the rules have decided. What gates keep is beside it, in `closed`. */
  readonly outcome: RolloutOutcome;
  /** What the next look has to know; undefined where no member was asked, and what is known stays. */
  readonly remembered?: Released['remembered'];
}

/**
 * The StatefulSet's controller replaces its pods, from the highest ordinal down to the partition.
 *
 * **Expected flow.** The highest ordinal first: ask its gates while it still serves; move the partition to it; wait until it is back, and serves; with canaries, bake and judge it; next member.
 *
 * **Guarantees.** One member at a time. A member that was released stays so: no partition brings it back as an older version than its volume has seen (I30). While it is paused, and while the Job before the first member
 * runs, a member that is lost comes back as what it ran.
 *
 * **Caveats.** Without gates, hand-off and sync the order of the StatefulSet is enough, and no member is asked.
 */
export const byPartition: Actuator<PartitionObservation, PartitionMove> = {
  awaitSet: [bringBack, awaitTakenUp, awaitFormer],
  awaitMembers: [],
  takeNext: [releaseCanary, releaseHighest],
  carryOut: move,
};

/** Nothing is released, and nothing asked. */
const idle = { replace: [], actions: [], ask: [] };

function move(verdict: Verdict | undefined, seen: PartitionObservation, now: Instant): PartitionMove {
  // `releaseHighest` always has something to say, and asks nothing without an outcome.
  if (verdict === undefined || 'ask' in verdict) throw new TypeError('no rule of a partition has decided');
  const { outcome } = verdict;
  const { partition } = outcome;
  return partition === undefined
    ? { outcome, ...idle, ...hold(seen) }
    : { outcome, ...throughGates({ ...outcome, partition }, seen, now) };
}

/** Where an outcome would move the partition to. */
type Intended = RolloutOutcome & { readonly partition: number };

/** Who has gone ahead goes on, whatever the strategy says: the canary has fallen back, the strategy was another one, or another version was. No other member is released before the gates are open. */
function throughGates(intended: Intended, seen: PartitionObservation, now: Instant): Omit<PartitionMove, 'outcome'> {
  const { set, revision, given, isShrinking } = seen;
  const partition = given ?? Math.min(intended.partition, aheadFrom(set));
  const asked = intended.ask ?? [];
  if (!asksFirst(seen))
    return { ...idle, ask: asked, template: 'wanted', partition, remembered: {}, ...looking(intended.lookAgainAt) };
  // Before a member goes, it is asked as at any other time.
  const { progress: _progress, ...rollout } = seen;
  const canHoldBelow = (ordinal: number): boolean => holdUpTo(ordinal, seen).partition > ordinal;
  const released = releaseThroughGates(
    { set, rollout, intended: { revision, partition, canHoldBelow, isShrinking } },
    now,
  );
  const { holdUpTo: highest, lookAgainAt, ...gated } = released;
  return {
    ...{ ...gated, template: 'wanted' },
    ...(highest === undefined ? {} : holdUpTo(highest, seen)),
    ask: [...asked, ...released.ask],
    ...looking(intended.lookAgainAt, lookAgainAt),
  };
}

/** The earlier of these times to look again. */
function looking(...times: readonly (Instant | undefined)[]): { readonly lookAgainAt?: Instant } {
  const lookAgainAt = earliest(...times);
  return lookAgainAt === undefined ? {} : { lookAgainAt };
}
