import { checkIntervalMs } from './ask-again.ts';
import { allBehind, membersBehind } from './catch-up.ts';
import type { Lag } from './catch-up.ts';
import type { Member } from './member.ts';
import { isOpened } from './opened.ts';
import type { Question, RolloutAnswer, RolloutObservation } from './observation.ts';
import type { Rule, Verdict } from './outcome.ts';
import {
  answersOf,
  answersTo,
  areAllCurrent,
  blocked,
  hold,
  isCurrent,
  proceed,
  release,
  isKept,
  takeDown,
} from './outcome.ts';
import type { GateTarget } from './policy.ts';

/** No member is taken down while the upgrade is paused. */
export const holdWhilePaused: Rule = (seen) => {
  if (!seen.paused || areAllCurrent(seen)) return undefined;
  return proceed('Paused', 'the upgrade is paused by spec.upgrade.paused', { release: 'pause' });
};

/** The highest ordinal first. */
export const descending = (members: readonly Member[]): Member[] => [...members].sort((a, b) => b.ordinal - a.ordinal);

/** Whether a replacement carries nothing yet. One that could not be asked may. */
const isBehind = ({ uid }: Member, lags: readonly Lag[]): boolean =>
  lags.some(({ question: { of }, unknown }) => of.uid === uid && unknown !== true);

/** Where something else is wanted before a replacement has caught up, that one comes first, and stays first while its turn is prepared: it carries nothing yet. */
export function inTurn(
  outdated: readonly Member[],
  seen: RolloutObservation,
): readonly Member[] | Extract<Verdict, { ask: unknown }> {
  const found = membersBehind(seen);
  if ('ask' in found) return found;
  const lags = (member: Member): boolean => isBehind(member, found.lags);
  const inOrder = descending(outdated);
  return [...inOrder.filter(lags), ...inOrder.filter((member) => !lags(member))];
}

/** Who goes down next: the highest ordinal, or so that the leader comes last. */
function choose(outdated: readonly Member[], seen: RolloutObservation, now: number): Member | Verdict {
  const ordered = inTurn(outdated, seen);
  if (!('length' in ordered)) return ordered;
  const [highest, ...others] = ordered;
  if (!highest || others.length === 0 || seen.order === 'ReverseOrdinal' || !seen.can.role)
    return highest ?? { ask: [] };
  const roles = answersOf('role', [highest, ...others], seen);
  if ('ask' in roles) return roles;
  const follower = roles.answers.find(({ ok, unknown }) => !ok && !unknown);
  if (follower) return follower.question.of;
  const unknown = roles.answers.find((answer) => answer.unknown);
  if (!unknown) return highest;
  // A user has decided which member is deleted although it is not known which one leads.
  const opened = ordered.find((member) => isOpened(member, seen));
  return opened ?? blocked('AwaitingGate', unknown, { seen, now, member: unknown.question.of, release: 'gate' });
}

function questionsOf(gate: GateTarget, candidate: Member, peers: readonly Member[]): Question[] {
  const asked = { Self: [candidate], Once: [candidate], Peers: peers, All: [candidate, ...peers] }[gate.target];
  return asked.map((of) => ({ about: 'gate', gate: gate.name, of, candidate }));
}

/** Who of these leads, as they say; undefined where none of them does. */
function leaderOf(
  members: readonly Member[],
  seen: RolloutObservation,
): { readonly ask: readonly Question[] } | Member | undefined {
  const roles = answersOf('role', members, seen);
  return 'ask' in roles ? roles : roles.answers.find(({ ok }) => ok)?.question.of;
}

/** Who would go down. */
interface Leaving {
  readonly candidate: Member;
  readonly peers: readonly Member[];
  /** It is a replacement that has not caught up: unless it leads, it carries nothing. */
  readonly lags: boolean;
}

/**
 * A leader goes down only when one of its peers has all its data (I5), and a follower likewise where none of its peers leads: it may be the only one that has it. Where
 * no member can say which one leads, any may be: then one of those that stay has it.
 */
function leaderIsCovered(
  { candidate, peers, lags }: Leaving,
  seen: RolloutObservation,
  now: number,
): Verdict | undefined {
  const successors = seen.can.role ? peers : peers.filter((peer) => isKept(peer, seen));
  if (!seen.can.sync || successors.length === 0) return undefined;
  if (seen.can.role) {
    const role = answersTo([{ about: 'role', of: candidate }], seen);
    if ('ask' in role) return role;
    const follows = role.answers.every(({ ok, unknown }) => !ok && !unknown);
    if (follows && lags) return undefined;
    const leader = follows ? leaderOf(peers, seen) : undefined;
    if (leader) return 'ask' in leader ? leader : undefined;
  }
  const syncs = answersOf('sync', successors, seen);
  if ('ask' in syncs) return syncs;
  const [no] = syncs.answers;
  if (syncs.answers.some(({ ok }) => ok) || !no) return undefined;
  return blocked('AwaitingGate', no, { seen, now, member: candidate, release: 'gate' });
}

/** A candidate that has handed over is deleted when another one is seen to lead, while it still serves. Undefined where that is so, or there is no other member. */
function awaitSuccessor(candidate: Member, seen: RolloutObservation, now: number): Verdict | undefined {
  const peers = seen.members.filter((member) => member !== candidate && member.ready);
  const roles = answersOf('role', peers, seen);
  if ('ask' in roles) return roles;
  const no = roles.answers.find(({ unknown }) => unknown) ?? roles.answers[0];
  if (no === undefined || roles.answers.some(({ ok }) => ok)) return undefined;
  const message = `${candidate.name} has handed over, and no other member leads yet`;
  return blocked('HandingOff', no, { seen, now, member: candidate, message, release: 'gate' });
}

/** The hand-off. Undefined when it is done, and another one leads: the member that took over may have been lost while the gates were closed. */
function handOver(candidate: Member, seen: RolloutObservation, now: number): Verdict | undefined {
  if (!seen.can.handoff) return undefined;
  const again = seen.handedOff === candidate.uid;
  let leads: RolloutAnswer | undefined;
  if (again) {
    if (!seen.can.role || seen.members.length < 2) return undefined;
    const role = answersTo([{ about: 'role', of: candidate }], seen);
    if ('ask' in role) return role;
    const unknown = role.answers.find((answer) => answer.unknown);
    if (unknown) return blocked('HandingOff', unknown, { seen, now, member: candidate, release: 'gate' });
    if (role.answers.every(({ ok }) => !ok)) return awaitSuccessor(candidate, seen, now);
    leads = role.answers[0];
  }
  const handoff = answersTo([{ about: 'handoff', of: candidate }], seen);
  if ('ask' in handoff) return handoff;
  const no = handoff.answers.find(({ ok }) => !ok);
  if (no) return blocked('HandingOff', no, { seen, now, member: candidate, release: 'gate' });
  // No member has taken over, or the role was given back: that may go on forever where the others never lead.
  const still = leads && {
    blockedBy: `role: ${candidate.name}: ${leads.message}`,
    release: 'gate' as const,
  };
  return proceed('HandingOff', `${candidate.name} has handed over${leads ? ', and leads all the same' : ''}`, {
    member: candidate,
    handedOff: candidate.uid,
    // Asked before the hand-off, what we know of roles is old now: look again.
    lookAgainAt: again ? now + checkIntervalMs : now,
    ...still,
  });
}

/** The hand-off and every gate, asked while the candidate still serves. Undefined when it may go down. */
export function gatesOf(candidate: Member, seen: RolloutObservation, now: number): Verdict | undefined {
  if (isOpened(candidate, seen)) return undefined;
  return handOver(candidate, seen, now) ?? closedGates(candidate, seen, now);
}

/**
 * No member is deleted whose data no other one may have: a replacement that has not caught up carries no data, and only such a replacement is taken down
 * meanwhile.
 */
function dataIsKept(
  candidate: Member,
  peers: readonly Member[],
  seen: RolloutObservation,
  now: number,
): Verdict | undefined {
  const found = allBehind(seen);
  if ('ask' in found) return found;
  const lags = isBehind(candidate, found.lags);
  if (lags && !seen.can.role) return undefined;
  const lag = found.lags.find(({ question: { of } }) => isKept(of, seen));
  if (lag && !lags) return blocked('AwaitingSync', lag, { seen, now, member: candidate, release: 'gate' });
  return leaderIsCovered({ candidate, peers, lags }, seen, now);
}

/** What keeps a member from going down, its hand-off aside. Undefined when every gate is open. */
export function closedGates(candidate: Member, seen: RolloutObservation, now: number): Verdict | undefined {
  // A member that is to leave and does not serve is no peer: it would never answer.
  const peers = seen.members.filter((member) => member !== candidate && (member.ready || isKept(member, seen)));
  const lost = dataIsKept(candidate, peers, seen, now);
  if (lost) return lost;
  const gates = answersTo(
    seen.gates.flatMap((gate) => questionsOf(gate, candidate, peers)),
    seen,
  );
  if ('ask' in gates) return gates;
  const no = gates.answers.find(({ ok }) => !ok);
  if (!no) return undefined;
  const actions = gates.answers.flatMap(({ ok, actions = [] }) => (ok ? [] : actions));
  const { answers } = gates;
  return blocked('AwaitingGate', { ...no, actions }, { seen, now, member: candidate, release: 'gate', answers });
}

/** The webhook has allowed another client to delete a member, which still looks as if it served: the upgrade takes no member down before that one is gone. */
export const awaitReserved: Rule = (seen, now) => {
  const other = seen.members.find(({ uid }) => uid === seen.reserved);
  if (!other) return undefined;
  const isDue = seen.replicas > seen.wantedReplicas || seen.members.some((member) => !isCurrent(member, seen));
  if (!isDue) return undefined;
  return proceed('AwaitingReplacement', `another client may delete ${other.name} now`, {
    member: other,
    lookAgainAt: now + checkIntervalMs,
  });
};

/** The set shrinks by one member at a time, the highest first, and through the same gates: what leaves may hold data too. */
export const shrink: Rule = (seen, now) => {
  if (seen.replicas <= seen.wantedReplicas) return undefined;
  const last = seen.members.find(({ ordinal }) => ordinal === seen.replicas - 1);
  if (!last) return undefined;
  return (
    gatesOf(last, seen, now) ??
    proceed('TakingDown', `${last.name} leaves for good`, { member: last, replicas: seen.replicas - 1 })
  );
};

/** Takes the next outdated member down: held first, where members are held, then handed off, then asked about, then deleted by its UID. */
export const takeNextDown: Rule = (seen, now) => {
  const outdated = seen.members.filter((member) => !isCurrent(member, seen));
  if (outdated.length === 0) return undefined;
  const next = choose(outdated, seen, now);
  if (!('uid' in next)) return next;
  const others = seen.members.filter((member) => member.held && member !== next);
  const freed = others.map((member) => release(member, `${next.name} comes before it now`, seen));
  if (!next.held && seen.finalizer !== '') {
    const actions = [...freed, hold(next, 'it is the next to be replaced', seen)];
    return proceed('Holding', `preparing ${next.name}`, { member: next, actions });
  }
  return (
    gatesOf(next, seen, now) ??
    proceed('TakingDown', `replacing ${next.name}`, {
      ...{ member: next, alone: true },
      actions: [...freed, takeDown(next, 'every gate is open')],
    })
  );
};
