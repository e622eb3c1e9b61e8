import type { Instant } from '@ordinal/client';
import { beforeFirstPod } from './before-first-pod.ts';
import { giveUp } from './deadline.ts';
import { holdWhilePaused } from './next.ts';
import type { RolloutObservation } from './observation.ts';
import type { Rule, Verdict } from './outcome.ts';

/** How members are replaced: by deleting their pods (`byDeletion`), or by moving a partition (`byPartition`). `Move` is what it makes of a decision. */
export interface Actuator<Seen extends RolloutObservation, Move> {
  /** Before anything is done: the StatefulSet is there, and makes members of what is meant. */
  readonly awaitSet: readonly Rule<Seen>[];
  /** Before the next member goes, also while a user has paused the upgrade: what is broken, ends, or is not back yet. */
  readonly awaitMembers: readonly Rule<Seen>[];
  /** Which member goes next, and what is judged before. */
  readonly takeNext: readonly Rule<Seen>[];
  /** What is done about the verdict of the first rule that has something to say; undefined where none has. */
  readonly carryOut: (verdict: Verdict | undefined, seen: Seen, now: Instant) => Move;
}

/** In the order of their precedence: the first that has something to say decides. */
const rulesOf = <Seen extends RolloutObservation, Move>(actuator: Actuator<Seen, Move>): readonly Rule<Seen>[] => [
  giveUp,
  ...actuator.awaitSet,
  beforeFirstPod,
  ...actuator.awaitMembers,
  holdWhilePaused,
  ...actuator.takeNext,
];

/**
 * Decides the next step of a rollout in which a member goes down only when the others can carry its data and its role. Pure: it says what must be
 * asked before it can decide, and is called again with the answers.
 *
 * **Expected flow.** An upgrade that a user has ended, or that is overdue, fails. Otherwise: the StatefulSet is as it should be; the Job before the first member has succeeded; no member is broken
 * or away; no user has paused it; the next member goes.
 *
 * **Guarantees.** The deadline is looked at first (I19); a pause, a bake time and a wait for a promotion have none (I20). What is wanted comes from the spec alone, so that a changed or reverted spec is followed at once (I2, I21). What else
 * is promised depends on the actuator.
 *
 * **Assumptions.** The observation may lag behind the truth, but shows it as it once was.
 */
export function decideRollout<Seen extends RolloutObservation, Move>(
  seen: Seen,
  now: Instant,
  actuator: Actuator<Seen, Move>,
): Move {
  for (const rule of rulesOf(actuator)) {
    const verdict = rule(seen, now);
    if (verdict) return actuator.carryOut(verdict, seen, now);
  }
  return actuator.carryOut(undefined, seen, now);
}
