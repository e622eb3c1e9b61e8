import type { Instant } from '@ordinal/client';
import type { Action } from '../decision/index.ts';
import { firstInTurn, goDown } from '../rollout/go-down.ts';
import { closedGates } from '../rollout/next.ts';
import type { Member } from '../rollout/member.ts';
import { isOpened } from '../rollout/opened.ts';
import type { Question, RolloutObservation } from '../rollout/observation.ts';
import type { RolloutOutcome, Verdict } from '../rollout/outcome.ts';
import { awaitSync } from '../rollout/transit.ts';
import type { PartitionedSet } from './partitioned-set.ts';
import type { Remembered } from '../rollout/remembered.ts';
import { rememberedAfter, unanswered } from '../rollout/remembered.ts';

/** What is to be applied, and how far it may go. */
export interface Intended {
  /** The revision of the template that is to be applied. */
  readonly revision: string;
  readonly partition: number;
  /** Whether the members below this ordinal can be held while it is released: not where they have gone ahead to another template. */
  readonly canHoldBelow: (ordinal: number) => boolean;
  /** The set is about to become smaller: no other member goes meanwhile. */
  readonly isShrinking?: boolean | undefined;
}

/** What keeps a member: the outcome of the rules. */
export type Closed = Pick<
  RolloutOutcome,
  'step' | 'message' | 'blockedBy' | 'member' | 'pod' | 'release' | 'failedCheck' | 'isCheckPending'
>;

/** What members' answers make of it. */
export interface Answered {
  readonly closed?: Closed;
  /** What gates ask for, such as their Jobs. */
  readonly actions: readonly Action[];
  /** What members must be asked before it is known. Meanwhile they are held. */
  readonly ask: readonly Question[];
  readonly remembered: Remembered;
  readonly lookAgainAt?: Instant;
}

/** How far the partition may go now. */
export interface Released extends Answered {
  /** From which ordinal on members may be released. */
  readonly partition: number;
  /** None of those up to this ordinal is released, beyond what was before: `partition` does not count then. */
  readonly holdUpTo?: number;
  /** It is deleted, and not released: where what it comes back as does not depend on the partition. */
  readonly replace: readonly Member[];
}

/** Which members a change of the StatefulSet releases that it had not released before, and which serve: the highest first. */
function newlyReleased(set: PartitionedSet, { revision, partition }: Intended): readonly Member[] {
  const isNew = (member: Member): boolean =>
    member.ordinal >= partition &&
    member.revision !== revision &&
    !member.terminating &&
    !(set.applied === revision && member.ordinal >= set.partition);
  return set.members.filter(isNew).sort((a, b) => b.ordinal - a.ordinal);
}

/** The highest ordinal that would be released too, and whose member is not seen: an old view does not show one that serves. -1 where there is none. */
function highestUnseen(set: PartitionedSet, { revision, partition }: Intended): number {
  const releasedFrom = set.applied === revision ? set.partition : Infinity;
  const seen = new Set(set.members.map(({ ordinal }) => ordinal));
  const last = Math.min(set.present, releasedFrom) - 1;
  for (let ordinal = last; ordinal >= partition; ordinal -= 1) if (!seen.has(ordinal)) return ordinal;
  return -1;
}

/** What a release is decided from. */
interface Case {
  readonly set: PartitionedSet;
  readonly rollout: RolloutObservation;
  readonly intended: Intended;
}

/**
 * What may be released now of what was intended: the rules of a rollout (`goDown`), with a partition as the actuator. One member at a time, and each only when its gates are open. Pure: it
 * says what must be asked before it can decide, and is called again with the answers.
 *
 * **Guarantees.** A member that serves is never released with a gate that is closed, or was not asked. What was released before stays so: the StatefulSet's controller may act on it at any time, and no other
 * member is released before it has.
 *
 * **Caveats.** Members that had gone ahead to a third template can't be held one by one, as they would come back as an older one than their volumes have seen (I30). Each of them is asked before the first of them goes, and the
 * webhook keeps each until the one before it has caught up.
 */
export function releaseThroughGates(asked: Case, now: Instant): Released {
  const { set, rollout, intended } = asked;
  const asIntended = { partition: intended.partition, replace: [], actions: [], ask: [], remembered: {} };
  const candidates = newlyReleased(set, intended);
  const [highest] = candidates;
  const unseen = highestUnseen(set, intended);
  if (unseen > (highest?.ordinal ?? -1)) {
    const pod = `${set.name}-${unseen}`;
    const closed = {
      step: 'AwaitingReplacement',
      pod,
      message: `the operator has not seen ${pod}, which may serve`,
    } as const;
    return { ...asIntended, holdUpTo: unseen, closed, remembered: rememberedAfter(rollout, { actions: [] }) };
  }
  if (!highest) return { ...asIntended, ...remember(rollout, now) };
  return { ...asIntended, ...judge({ ...asked, candidates, highest }, now) };
}

/** Nothing is to be released: whether what went before has caught up is asked all the same. */
function remember(rollout: RolloutObservation, now: Instant): Partial<Released> {
  const waits = awaitSync(rollout, now);
  if (waits && 'ask' in waits) return unanswered(waits.ask, rollout, now);
  const { maxMs } = rollout.askAgain ?? {};
  return {
    remembered: rememberedAfter(rollout, { actions: [] }),
    // Nothing waits for it: it is asked as rarely as may be.
    ...(waits && maxMs !== undefined ? { lookAgainAt: now + maxMs } : {}),
  };
}

/** The members that are to be released, the highest first. */
interface Candidates extends Case {
  readonly candidates: readonly Member[];
  readonly highest: Member;
}

/** Releases the member in turn, or holds all that are not released yet. */
function judge(asked: Candidates, now: Instant): Partial<Released> {
  const { set, rollout, candidates, highest, intended } = asked;
  const held = { holdUpTo: highest.ordinal };
  if (intended.isShrinking === true) {
    const message = 'a member leaves for good before another one is replaced';
    const closed = { step: 'AwaitingReplacement', message } as const;
    return { ...held, closed, remembered: rememberedAfter(rollout, { actions: [] }) };
  }
  // What is deleted comes back as what it goes back to, whichever partition holds it.
  const isReturn = intended.revision === set.held;
  const next = isReturn ? firstInTurn(candidates, rollout) : highest;
  const verdict = next === undefined || 'ask' in next ? next : goDownWith(next, asked, now);
  if (verdict === undefined) return held;
  if ('ask' in verdict) return { ...held, ...unanswered(verdict.ask, rollout, now) };
  const { outcome } = verdict;
  const remembered = rememberedAfter(rollout, outcome);
  if (outcome.step === 'TakingDown' && outcome.member) {
    const { member } = outcome;
    if (member !== highest) return { ...held, replace: [member], remembered };
    return { partition: Math.max(intended.partition, isAlone(asked) ? member.ordinal : 0), remembered };
  }
  return { ...held, ...keptBy(outcome), remembered };
}

/** What keeps a member, and what is done about it. */
export function keptBy(outcome: RolloutOutcome): Pick<Answered, 'closed' | 'actions' | 'lookAgainAt'> {
  const { actions, lookAgainAt } = outcome;
  return { closed: outcome, actions, ...(lookAgainAt === undefined ? {} : { lookAgainAt }) };
}

/** Whether the others can be held when the highest one is released. */
const isAlone = ({ highest, intended }: Candidates): boolean => intended.canHoldBelow(highest.ordinal);

/** Those that go with it, as they can't be held, are asked too before it goes; except one whose gates a user has opened. */
function goDownWith(next: Member, asked: Candidates, now: Instant): Verdict {
  const { rollout, candidates } = asked;
  const first = goDown(next, rollout, now);
  if ('ask' in first || first.outcome.step !== 'TakingDown' || isAlone(asked)) return first;
  const others = candidates.filter((one) => one.uid !== next.uid && one.ready && !isOpened(one, rollout));
  for (const other of others) {
    const closed = closedGates(other, rollout, now);
    if (closed) return closed;
  }
  return first;
}
