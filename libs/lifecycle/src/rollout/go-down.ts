import type { Instant } from '@ordinal/client';
import { checkIntervalMs } from './ask-again.ts';
import { gatesOf, inTurn, awaitReserved } from './next.ts';
import type { Member } from './member.ts';
import { isOpened } from './opened.ts';
import type { RolloutObservation } from './observation.ts';
import type { Verdict } from './outcome.ts';
import { isCurrent, proceed, takeDown } from './outcome.ts';
import { awaitMissing, awaitSync, awaitUnready, awaitMinReady, dropUnneeded, isBroken } from './transit.ts';

/** What is left of the members when those are left out that have not served for long and run something else than they should. */
function withoutBroken(candidate: Member, seen: RolloutObservation, now: Instant): RolloutObservation {
  const isLeftOut = (member: Member): boolean =>
    member !== candidate && !isCurrent(member, seen) && isBroken(member, seen, now);
  return { ...seen, members: seen.members.filter((member) => !isLeftOut(member)) };
}

/** A member that does not serve is awaited. Where only a broken one is in the way, which comes back only after its turn, a user may decide that the candidate goes all the same. */
function awaitReady(candidate: Member, seen: RolloutObservation, now: Instant): Verdict | undefined {
  const unready = awaitUnready(seen, now);
  if (!unready || 'ask' in unready || awaitUnready(withoutBroken(candidate, seen, now), now)) return unready;
  return { outcome: { ...unready.outcome, member: candidate, release: 'gate', lookAgainAt: now + checkIntervalMs } };
}

const takingDown = (candidate: Member, because: string): Verdict =>
  proceed('TakingDown', because, { member: candidate, actions: [takeDown(candidate, because)] });

/** What keeps a member from going down that serves; undefined where nothing does. */
function keeps(candidate: Member, seen: RolloutObservation, now: Instant): Verdict | undefined {
  const others = isOpened(candidate, seen) ? withoutBroken(candidate, seen, now) : seen;
  return (
    awaitSync(others, now) ??
    awaitReady(candidate, others, now) ??
    awaitMinReady(others, now) ??
    awaitReserved(others, now) ??
    gatesOf(candidate, others, now)
  );
}

/**
 * Whether one member may go down, by the same rules as in a rollout, for anyone who takes it down in another way than by deleting its pod: by moving a partition, or by making the set
 * smaller. Pure: it says what must be asked before, and is called again with the answers.
 *
 * **Guarantees.** `TakingDown` only when every other member is there, has been ready for as long as the set asks for, and has caught up, and no other one may be deleted now. The hand-off and every gate of this one are
 * done then. Every other step is what keeps it. It is asked while it still serves. One that has not served for long is not asked (I1).
 *
 * **Assumptions.** The answers are not older than the decision.
 *
 * **Caveats.** An outdated member that does not serve keeps the others from going, also where the rollout is there to repair it: a user opens the gates of the one whose turn it is, which leaves the broken one out.
 */
export function goDown(candidate: Member, seen: RolloutObservation, now: Instant): Verdict {
  const missing = awaitMissing(seen, now);
  if (missing) return missing;
  if (!candidate.ready && isBroken(candidate, seen, now))
    return takingDown(candidate, 'it does not work, so that nothing is lost by replacing it');
  return keeps(candidate, seen, now) ?? takingDown(candidate, 'every gate is open');
}

/**
 * Whether the highest member of a set that is to become smaller may leave for good: by the same rules. One that does not serve leaves without a question when all that stay do.
 * Undefined where the set is not to become smaller. Pure.
 */
export function scaleDown(seen: RolloutObservation, now: Instant): Verdict | undefined {
  if (seen.replicas <= seen.wantedReplicas) return undefined;
  const dropped = dropUnneeded(seen, now);
  if (dropped) return dropped;
  const ordinal = seen.replicas - 1;
  const last = seen.members.find((member) => member.ordinal === ordinal);
  if (last?.ready) return goDown(last, seen, now);
  const message = `the member with the ordinal ${ordinal} leaves when all that stay serve`;
  return awaitMissing(seen, now) ?? awaitUnready(seen, now) ?? proceed('AwaitingReady', message);
}

/**
 * Who of these goes down first: a replacement that has not caught up, as it carries nothing yet, and else the highest ordinal. Undefined where there is none; or what must be asked before that is
 * known.
 */
export function firstInTurn(
  members: readonly Member[],
  seen: RolloutObservation,
): Member | Extract<Verdict, { ask: unknown }> | undefined {
  if (members.length === 0) return undefined;
  const ordered = inTurn(members, seen);
  return 'ask' in ordered ? ordered : ordered[0];
}
