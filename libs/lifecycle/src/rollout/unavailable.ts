import type { Instant } from '@ordinal/client';
import { isOver } from '../decision/index.ts';
import { allBehind } from './catch-up.ts';
import type { Lag } from './catch-up.ts';
import type { Member, MemberInFlight } from './member.ts';
import type { RolloutObservation } from './observation.ts';
import type { Verdict } from './outcome.ts';

/** What keeps this member from being available; undefined where nothing does. */
function hindrance(
  member: Member,
  lags: readonly Lag[],
  seen: RolloutObservation,
  now: Instant,
): Pick<MemberInFlight, 'step' | 'blockedBy'> | undefined {
  const { minReadyMs = 0, reserved } = seen;
  if (member.terminating) return { step: member.held ? 'AwaitingTermination' : 'AwaitingReplacement' };
  if (!member.ready)
    return { step: 'AwaitingReady', ...(member.cause === undefined ? {} : { blockedBy: member.cause }) };
  if (minReadyMs > 0 && !isOver(member.since, minReadyMs, now)) return { step: 'AwaitingReady' };
  if (member.uid === reserved) return { step: 'AwaitingReplacement', blockedBy: 'another client may delete it now' };
  const lag = lags.find(({ question: { of } }) => of.uid === member.uid);
  return lag && { step: 'AwaitingSync', blockedBy: `sync: ${lag.message}` };
}

const isAlone = (ordinal: number, { alone = [] }: RolloutObservation): Pick<MemberInFlight, 'alone'> =>
  alone.includes(ordinal) ? { alone: true } : {};

function among(lags: readonly Lag[], seen: RolloutObservation, now: Instant): readonly MemberInFlight[] {
  const size = Math.max(seen.replicas, seen.wantedReplicas);
  return Array.from({ length: size }, (_, ordinal): readonly MemberInFlight[] => {
    const member = seen.members.find((one) => one.ordinal === ordinal);
    if (!member) return [{ ordinal, step: 'AwaitingReplacement', ...isAlone(ordinal, seen) }];
    const hindered = hindrance(member, lags, seen, now);
    return hindered ? [{ ordinal, uid: member.uid, ...hindered, ...isAlone(ordinal, seen) }] : [];
  }).flat();
}

/**
 * The members that are not available, by whichever hand: they are not there, end, are not ready or not for long enough, have not caught up, or another client may delete them now. Or what must
 * be asked before that is known. Pure.
 */
export function unavailableIn(
  seen: RolloutObservation,
  now: Instant,
): { readonly unavailable: readonly MemberInFlight[] } | Extract<Verdict, { ask: unknown }> {
  const found = allBehind(seen);
  return 'ask' in found ? found : { unavailable: among(found.lags, seen, now) };
}

/** The same as far as it is known: a member that was not asked whether it has caught up is not among them. Pure. */
export function knownUnavailable(seen: RolloutObservation, now: Instant): readonly MemberInFlight[] {
  const found = allBehind(seen);
  return among('ask' in found ? [] : found.lags, seen, now);
}

/** What is seen when these members are left out, so that none of them is asked, or counts as one that carries data or leads. Pure. */
export function withoutThose(
  seen: RolloutObservation,
  left: readonly Pick<MemberInFlight, 'ordinal'>[],
): RolloutObservation {
  const ordinals = new Set(left.map(({ ordinal }) => ordinal));
  return { ...seen, members: seen.members.filter(({ ordinal }) => !ordinals.has(ordinal)) };
}
