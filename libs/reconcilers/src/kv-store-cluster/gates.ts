import type { Instant } from '@ordinal/client';
import type { Action, CheckResult, Member, Question, RolloutObservation, RolloutOutcome } from '@ordinal/lifecycle';
import { awaitSync, catchingUpAfter, closedGates, firstInTurn, goDown, scaleDown } from '@ordinal/lifecycle';
import { openGatesAnnotation } from '../annotations.ts';
import { isGated } from './member-checks.ts';
import type { Observation } from './observation.ts';
import { objectOf } from './observation.ts';
import type { Remembered } from './upgrade-record.ts';
import { askingSteps, observeRollout } from './rollout-observation.ts';
import type { UpgradeView } from './upgrade.ts';
import { viewOf } from './upgrade.ts';
import type { Verdict } from './verdict.ts';

/** What was to be applied, and how far it may go. */
interface Intended {
  /** The hash of the template that is to be applied. */
  readonly revision: string;
  readonly partition: number;
  /** The least that may be released: what was released before, or what has gone ahead and can't be held. */
  readonly heldAt: (ordinal: number) => Pick<Verdict, 'template' | 'partition'>;
  /** The set is about to become smaller: no other member goes meanwhile. */
  readonly isShrinking?: boolean;
}

/** What the members' answers make of it. */
export interface Gated extends Pick<Verdict, 'template' | 'partition' | 'lookAgainAt'> {
  /** What keeps a member from being released. */
  readonly closed?: Pick<Verdict, 'step' | 'pod' | 'podUID' | 'blockedBy' | 'release'>;
  /** What came of the checks, where they keep a member. */
  readonly check?: CheckResult;
  /** It is deleted, and not released: where what it comes back as does not depend on the partition. */
  readonly replace: readonly Member[];
  readonly actions: readonly Action[];
  /** What members must be asked before it is known. Meanwhile they are held. */
  readonly ask: readonly Question[];
  readonly remembered: Remembered;
}

/** How far a StatefulSet may become smaller now. */
export interface Shrunk extends Pick<Gated, 'closed' | 'check' | 'actions' | 'ask' | 'remembered' | 'lookAgainAt'> {
  readonly replicas: number;
}

/** The outcome of the rules for one member, in the words of the status. */
function closedBy(outcome: RolloutOutcome, { cluster }: UpgradeView): NonNullable<Gated['closed']> {
  const { member, message, blockedBy = message, release } = outcome;
  const step = askingSteps.find((each) => each === outcome.step) ?? 'Replacing';
  return {
    step,
    blockedBy,
    ...(member ? { pod: member.name, podUID: member.uid } : {}),
    ...(release === 'gate' && member
      ? { release: `kubectl annotate ${objectOf(cluster)} ${openGatesAnnotation}=${member.uid} --overwrite` }
      : {}),
  };
}

/** What keeps a member, and what came of its checks. */
function closing(outcome: RolloutOutcome, view: UpgradeView): Required<Pick<Gated, 'closed' | 'check'>> {
  const closed = closedBy(outcome, view);
  const { namespace = 'default', name } = view.cluster.metadata;
  const help =
    closed.release === undefined
      ? `to see more: kubectl describe pod -n ${namespace} ${outcome.member?.name ?? name}`
      : `to go on without it: ${closed.release}`;
  return { closed, check: { ...outcome, help } };
}

/**
 * How many members the StatefulSet may keep of more than are asked for: it becomes smaller by one at a time, and each leaves through the same gates. Without gates, as many as are asked for. The Job before a
 * reduction has succeeded before.
 */
export function shrinkThroughGates(seen: Observation, now: Instant): Shrunk | undefined {
  const { cluster, statefulSet } = seen;
  const view = viewOf(seen);
  if (!isGated(cluster) || !statefulSet) return undefined;
  const rollout = observeRollout(seen, view.applied, now);
  const verdict = scaleDown(rollout, now);
  if (verdict === undefined) return undefined;
  const held = { replicas: view.present, actions: [], ask: [] };
  if ('ask' in verdict) return { ...held, ...unanswered(verdict.ask, rollout, now) };
  const { outcome } = verdict;
  const remembered = rememberedAfter(rollout, outcome);
  const look = outcome.lookAgainAt === undefined ? {} : { lookAgainAt: outcome.lookAgainAt };
  if (outcome.step === 'TakingDown') return { ...held, ...look, replicas: view.present - 1, remembered };
  const { actions } = outcome;
  return { ...held, ...look, actions, remembered, ...closing(outcome, view) };
}

/** Which members a change of the StatefulSet releases that it had not released before, and which serve: the highest first. */
function newlyReleased(view: UpgradeView, { revision, partition }: Intended): readonly Member[] {
  const isNew = (member: Member): boolean =>
    member.ordinal >= partition &&
    member.revision !== revision &&
    !member.terminating &&
    !(view.applied === revision && member.ordinal >= view.partition);
  return view.members.filter(isNew).sort((a, b) => b.ordinal - a.ordinal);
}

/** The highest ordinal that would be released too, and whose member is not seen: an old view does not show one that serves. -1 where there is none. */
function highestUnseen(view: UpgradeView, { revision, partition }: Intended): number {
  const releasedFrom = view.applied === revision ? view.partition : Infinity;
  const seen = new Set(view.members.map(({ ordinal }) => ordinal));
  const last = Math.min(view.present, releasedFrom) - 1;
  for (let ordinal = last; ordinal >= partition; ordinal -= 1) if (!seen.has(ordinal)) return ordinal;
  return -1;
}

/** How long until it is looked again where something is still to be asked, in milliseconds. */
const askAgainMs = 1000;

/**
 * What may be released now of what was intended: the rules of a rollout (`goDown`), with a partition as the actuator. One member at a time, and each only when its gates are open.
 *
 * **Guarantees.** A member that serves is never released with a gate that is closed, or was not asked. What was released before stays so: the StatefulSet's controller may act on it at any time, and no other
 * member is released before it has. Without gates, hand-off or sync everything is as intended.
 *
 * **Caveats.** Members that had gone ahead to a third template can't be held one by one, as they would come back as an older one than their volumes have seen (I30): each of them is asked before the first of them goes, and the
 * webhook keeps each until the one before it has caught up.
 */
export function throughGates(seen: Observation, view: UpgradeView, intended: Intended, now: Instant): Gated {
  const asIntended = { partition: intended.partition, replace: [], actions: [], ask: [], remembered: {} };
  if (!isGated(view.cluster)) return asIntended;
  const rollout = observeRollout(seen, intended.revision, now);
  const candidates = newlyReleased(view, intended);
  const [highest] = candidates;
  const unseen = highestUnseen(view, intended);
  if (unseen > (highest?.ordinal ?? -1)) {
    const pod = `${view.cluster.metadata.name}-${unseen}`;
    const closed = { step: 'Replacing', pod, blockedBy: `${pod} is not seen, and may serve` } as const;
    const remembered = rememberedAfter(rollout, { actions: [] });
    return { ...asIntended, ...intended.heldAt(unseen), closed, remembered };
  }
  if (!highest) return { ...asIntended, ...remember(rollout, now) };
  return { ...asIntended, ...judge({ view, rollout, candidates, highest, intended }, now) };
}

/** What a release is decided from. */
interface Case {
  readonly view: UpgradeView;
  readonly rollout: RolloutObservation;
  /** Who is to be released, the highest first. */
  readonly candidates: readonly Member[];
  readonly highest: Member;
  readonly intended: Intended;
}

/** Nothing is to be released: whether what went before has caught up is asked all the same. */
function remember(rollout: RolloutObservation, now: Instant): Partial<Gated> {
  const waits = awaitSync(rollout, now);
  if (waits && 'ask' in waits) return unanswered(waits.ask, rollout, now);
  const { maxMs } = rollout.askAgain ?? {};
  return {
    remembered: rememberedAfter(rollout, { actions: [] }),
    // Nothing waits for it: it is asked as seldom as may be.
    ...(waits && maxMs !== undefined ? { lookAgainAt: now + maxMs } : {}),
  };
}

function rememberedAfter(
  rollout: RolloutObservation,
  outcome: Pick<RolloutOutcome, 'actions' | 'handedOff'>,
): Remembered {
  const catchingUp = catchingUpAfter(rollout, outcome);
  const { handedOff = rollout.handedOff } = outcome;
  return {
    ...(handedOff === undefined ? {} : { handedOff }),
    ...(catchingUp.length === 0 ? {} : { catchingUp: [...catchingUp] }),
  };
}

/** What is still to be asked, with what stood in the status until then. */
function unanswered(ask: readonly Question[], { handedOff, catchingUp }: RolloutObservation, now: Instant) {
  const known = catchingUp === undefined ? {} : { catchingUp: [...catchingUp] };
  return {
    ask,
    lookAgainAt: now + askAgainMs,
    remembered: { ...known, ...(handedOff === undefined ? {} : { handedOff }) },
  };
}

/** Lets the member in turn go, or holds all that are not released yet. */
function judge(asked: Case, now: Instant): Partial<Gated> {
  const { view, rollout, candidates, highest, intended } = asked;
  const held = intended.heldAt(highest.ordinal);
  if (intended.isShrinking) {
    const closed = { step: 'Replacing', blockedBy: 'a member leaves for good before another one is replaced' } as const;
    return { ...held, closed, remembered: rememberedAfter(rollout, { actions: [] }) };
  }
  // What is deleted comes back as what it goes back to, whichever partition holds it.
  const isReturn = intended.revision === view.held;
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
  return {
    ...held,
    ...closing(outcome, view),
    actions: outcome.actions,
    remembered,
    ...(outcome.lookAgainAt === undefined ? {} : { lookAgainAt: outcome.lookAgainAt }),
  };
}

/** Whether the others can be held when the highest one is released. */
const isAlone = ({ highest, intended }: Case): boolean => intended.heldAt(highest.ordinal).partition > highest.ordinal;

/** Those who go with it, as they can't be held, are asked too before it goes. */
function goDownWith(next: Member, asked: Case, now: Instant): ReturnType<typeof goDown> {
  const { rollout, candidates } = asked;
  const first = goDown(next, rollout, now);
  if ('ask' in first || first.outcome.step !== 'TakingDown' || isAlone(asked)) return first;
  const others = candidates.filter((member) => member !== next && member.ready);
  for (const other of others) {
    const closed = closedGates(other, rollout, now);
    if (closed) return closed;
  }
  return first;
}
