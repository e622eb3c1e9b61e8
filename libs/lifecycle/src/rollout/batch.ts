import type { Instant } from '@ordinal/client';
import { defined } from '@ordinal/client';
import { earliest } from '../decision/index.ts';
import { areCanariesDone } from './canaries.ts';
import type { Member, MemberInFlight } from './member.ts';
import { descending, gatesOf } from './next.ts';
import type { RolloutObservation } from './observation.ts';
import type { RolloutOutcome, Rule, Verdict } from './outcome.ts';
import { answersOf, hold, isCurrent, proceed, release, takeDown } from './outcome.ts';
import { knownUnavailable, unavailableIn, withoutThose } from './unavailable.ts';

/** Whether one goes at a time, whatever may be unavailable: members leave for good, canaries are judged, or no other one goes at all. */
const isOneByOne = (seen: RolloutObservation): boolean =>
  (seen.maxUnavailable ?? 1) < 2 || seen.paused || seen.replicas !== seen.wantedReplicas || !areCanariesDone(seen);

/**
 * Those of these members, which serve, that may go beside others, in their turn; or what must be asked before that is known. Where it is known who leads, a leader goes alone, and so does every member
 * while none leads.
 */
function followersIn(seen: RolloutObservation): readonly Member[] | Extract<Verdict, { ask: unknown }> {
  const outdated = descending(seen.members.filter((member) => !isCurrent(member, seen)));
  if (!seen.can.role || outdated.length === 0) return outdated;
  const roles = answersOf('role', seen.members, seen);
  if ('ask' in roles) return roles;
  if (!roles.answers.some(({ ok }) => ok)) return [];
  const following = new Set(
    roles.answers.flatMap(({ ok, unknown, question: { of } }) => (ok || unknown === true ? [] : [of.uid])),
  );
  if (seen.order === 'LeaderLast') return outdated.filter(({ uid }) => following.has(uid));
  const first = outdated.findIndex(({ uid }) => !following.has(uid));
  return first < 0 ? outdated : outdated.slice(0, first);
}

type Outcome = Extract<Verdict, { outcome: unknown }>['outcome'];

/** A member in turn, and what its hand-off and gates have come to; undefined where they are open. */
interface Turn {
  readonly member: Member;
  readonly kept: Outcome | undefined;
}

/** Each is asked about beside those that are left, or what must be asked before. */
function turnsOf(
  inTurn: readonly Member[],
  serving: RolloutObservation,
  now: Instant,
): readonly Turn[] | Extract<Verdict, { ask: unknown }> {
  const verdicts = inTurn.map((member) => ({ member, verdict: gatesOf(member, serving, now) }));
  const ask = verdicts.flatMap(({ verdict }) => (verdict && 'ask' in verdict ? verdict.ask : []));
  if (ask.length > 0) return { ask };
  return verdicts.map(({ member, verdict }) => ({
    member,
    kept: verdict && 'outcome' in verdict ? verdict.outcome : undefined,
  }));
}

const flightOf = ({ member: { ordinal, uid }, kept }: Turn): MemberInFlight => {
  const { step = 'AwaitingGate', blockedBy } = kept ?? {};
  return { ordinal, uid, step, ...(blockedBy === undefined ? {} : { blockedBy }) };
};

/** All wait: shows the first, does what the others ask for, and looks again when the first of them does. */
function waitForAll(turns: readonly Turn[]): Verdict | undefined {
  const [first, ...others] = turns;
  if (!first?.kept) return undefined;
  const lookAgainAt = earliest(...turns.map(({ kept }) => kept?.lookAgainAt));
  return {
    outcome: {
      ...first.kept,
      actions: turns.flatMap(({ kept }) => kept?.actions ?? []),
      ...(lookAgainAt === undefined ? {} : { lookAgainAt }),
      beside: others.map(flightOf),
    },
  };
}

/** Removes the finalizer of those that have no turn any more, with what is done now. */
function freed(inTurn: readonly Member[], serving: RolloutObservation): RolloutOutcome['actions'] {
  return serving.members
    .filter((member) => member.held && !inTurn.includes(member))
    .map((member) => release(member, 'others come before it now', serving));
}

/** Of the members whose turn it is, the first that may goes. One at a time, so that the next is decided about when this one is seen to be down. */
function takeFirst(inTurn: readonly Member[], serving: RolloutObservation, now: Instant): Verdict | undefined {
  const isToHold = ({ held }: Member): boolean => !held && serving.finalizer !== '';
  const turns = turnsOf(
    inTurn.filter((member) => !isToHold(member)),
    serving,
    now,
  );
  if ('ask' in turns) return turns;
  const beside = turns.map(flightOf);
  const besides = (member: Member): MemberInFlight[] => beside.filter(({ uid }) => uid !== member.uid);
  const open = turns.find(({ kept }) => kept === undefined)?.member;
  if (open) {
    const actions = [...freed(inTurn, serving), takeDown(open, 'every gate is open')];
    return proceed('TakingDown', `replacing ${open.name}`, { member: open, actions, beside: besides(open) });
  }
  const next = inTurn.find(isToHold);
  if (!next) return waitForAll(turns);
  const actions = [...freed(inTurn, serving), hold(next, 'it is among the next to be replaced', serving)];
  return proceed('Holding', `preparing ${next.name}`, { member: next, actions, beside });
}

/** It was to be deleted, and still serves: that was refused, or is not seen yet. Until it is known no other one is chosen in its place. */
const isUnfinished = ({ uid }: Member, { progress }: RolloutObservation): boolean =>
  progress?.step === 'TakingDown' && progress.podUID === uid;

/**
 * Followers go beside each other, as long as fewer than `maxUnavailable` members are unavailable, whichever client took them down.
 *
 * **Guarantees.** Each goes through its own gates, asked of those that serve and beside those that are down: one whose gates are closed keeps its place, and keeps no other one of those whose turn it is. A leader never goes
 * beside another member, nor does a canary. Members that hand over are prepared one after another: the role would be handed to the next one that goes.
 */
export const takeFollowers: Rule = (seen, now) => {
  if (isOneByOne(seen)) return undefined;
  const found = unavailableIn(seen, now);
  if ('ask' in found) return found;
  const room = (seen.maxUnavailable ?? 1) - found.unavailable.length;
  if (room < 1 || found.unavailable.some(({ alone }) => alone)) return undefined;
  const serving = withoutThose(seen, found.unavailable);
  const followers = followersIn(serving);
  if ('ask' in followers) return followers;
  const unfinished = followers.filter((member) => isUnfinished(member, seen));
  const inTurn = unfinished.length > 0 ? unfinished : followers.slice(0, seen.can.handoff ? 1 : room);
  return takeFirst(inTurn, serving, now);
};

/** The steps of a member that serves, and is about to go. */
const goingSteps: ReadonlySet<string> = new Set(['Holding', 'HandingOff', 'AwaitingGate', 'TakingDown']);

/** What is known of the member that a step is about, where it is about to go. */
function goingIn({
  step,
  member,
  blockedBy,
  alone,
}: Pick<RolloutOutcome, 'step' | 'member' | 'blockedBy' | 'alone'>): readonly MemberInFlight[] {
  if (!member || !goingSteps.has(step)) return [];
  return [{ ordinal: member.ordinal, uid: member.uid, step, ...defined({ blockedBy, alone }) }];
}

/** All members that are unavailable, or about to go, where more than one may be, in the order of their ordinals; none otherwise. Pure. */
export function membersInFlight(
  seen: RolloutObservation,
  outcome: RolloutOutcome,
  now: Instant,
): readonly MemberInFlight[] {
  if ((seen.maxUnavailable ?? 1) < 2) return [];
  const all = [...knownUnavailable(seen, now), ...(outcome.beside ?? []), ...goingIn(outcome)];
  return [...new Map(all.map((one) => [one.ordinal, one])).values()].sort((a, b) => a.ordinal - b.ordinal);
}
