import type { Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import { analyse } from '../canary/analysis.ts';
import { bakedAt, judgementOf, withJudgement } from '../canary/judgement.ts';
import { durationText } from '../decision/index.ts';
import type { CanaryPolicy } from './canary-policy.ts';
import { membersBehind } from './catch-up.ts';
import { failed } from './failed.ts';
import type { Member } from './member.ts';
import type { Question, RolloutObservation } from './observation.ts';
import type { Rule, Verdict } from './outcome.ts';
import { answersTo, isCurrent, isKept, proceed } from './outcome.ts';

/** Those that run what is wanted, and stay. */
const updatedIn = (seen: RolloutObservation): readonly Member[] =>
  seen.members.filter((member) => isCurrent(member, seen) && isKept(member, seen) && !member.terminating);

const hasPassed = (member: Member, { judgements }: CanaryPolicy): boolean =>
  judgementOf(judgements, member)?.result === 'Passed';

/** Whether so many have passed that the next one is no canary any more, and need not bake. */
const areEnough = (seen: RolloutObservation, policy: CanaryPolicy): boolean =>
  updatedIn(seen).filter((member) => hasPassed(member, policy)).length >=
  Math.min(policy.replicas, seen.wantedReplicas);

/** Whether nothing is left to be found out about this member. */
function isDone(member: Member, seen: RolloutObservation, policy: CanaryPolicy): boolean {
  if (hasPassed(member, policy)) return true;
  return policy.analysis === undefined && (policy.bakeMs === 0 || areEnough(seen, policy));
}

/** Whether each member that runs what is wanted was judged, where that is asked for. Without canaries nothing is. Pure. */
export function areJudged(seen: RolloutObservation): boolean {
  const { canary } = seen;
  return canary === undefined || updatedIn(seen).every((member) => isDone(member, seen, canary));
}

/** Whether another member may be made of what is wanted: those that are serve, and were judged, and a user has promoted them where that is asked for. Pure. */
export function mayFollow(seen: RolloutObservation): boolean {
  const updated = updatedIn(seen);
  return (
    seen.canary === undefined || (areJudged(seen) && updated.every(({ ready }) => ready) && !awaitsPromotion(seen))
  );
}

function awaitsPromotion(seen: RolloutObservation): boolean {
  const { canary, members } = seen;
  return (
    canary !== undefined &&
    !canary.isPromoted &&
    updatedIn(seen).length >= canary.replicas &&
    members.some((member) => !isCurrent(member, seen))
  );
}

/**
 * The others follow when the canaries have stayed ready for their bake time, have passed their analysis and, where that is asked for, were promoted.
 *
 * **Guarantees.** A judgment counts for the pod (UID) and the revision that were judged, and for no other (S0.9): a canary that is lost is judged again. It is on record before
 * it is acted on. Members that another client has taken down, and that came back as what is wanted, are judged like those that the rollout has replaced.
 */
export const awaitCanaries: Rule = (seen, now) => {
  const { canary } = seen;
  if (!canary) return undefined;
  const next = updatedIn(seen).find((member) => member.ready && !isDone(member, seen, canary));
  if (next) return judge(next, { seen, policy: canary }, now);
  if (!awaitsPromotion(seen) || !updatedIn(seen).every(({ ready }) => ready)) return undefined;
  return proceed('AwaitingPromotion', 'the canaries have passed', {
    blockedBy: `promotion is manual, and no user has promoted it yet (to go back: ${canary.abortBy})`,
    release: 'promotion',
  });
};

/** The same beside members that are not ready, or away: those hold up no judgment. What shrinks, is paused or has not caught up comes first. */
export const judgeCanaries: Rule = (seen, now) => {
  const isHeldUp =
    seen.replicas > seen.wantedReplicas || (seen.paused && seen.members.some((one) => !isCurrent(one, seen)));
  if (!seen.canary || isHeldUp) return undefined;
  const found = membersBehind(seen);
  if ('ask' in found) return found;
  return found.lags.some(({ question: { of } }) => isCurrent(of, seen)) ? undefined : awaitCanaries(seen, now);
};

interface Judging {
  readonly seen: RolloutObservation;
  readonly policy: CanaryPolicy;
}

/** Bakes a member that is a canary, and then judges it, by a Job or by what it answers. */
function judge(member: Member, { seen, policy }: Judging, now: Instant): Verdict {
  const { bakeMs, analysis, judgements } = policy;
  const { progress } = seen;
  const recorded = progress?.step === 'Baking' && progress.podUID === member.uid ? progress.since : undefined;
  const recordedSince = recorded === undefined ? undefined : timestamp(recorded);
  const until = areEnough(seen, policy) ? now : bakedAt(member, { bakeMs, recordedSince }, now);
  if (bakeMs > 0 && now < until) {
    const blockedBy = `${member.name} has to stay ready until ${timestamp(until)}`;
    return proceed('Baking', `${member.name} is a canary`, { member, blockedBy, lookAgainAt: until });
  }
  if (analysis) return analysed(member, { seen, policy }, now);
  const note = `${member.name} stayed ready for ${durationText(bakeMs)}`;
  return proceed('Baking', note, {
    member,
    analysed: withJudgement(judgements, member, { result: 'Passed', message: note }, now),
    events: [{ type: 'Normal', reason: 'CanaryPassed', note }],
    // A status write of our own starts no reconcile: the next member goes when we look again, at once, with the judgment on record.
    lookAgainAt: now,
  });
}

function analysed(member: Member, { seen, policy }: Judging, now: Instant): Verdict {
  const { judgements, analysis } = policy;
  const task = analysis?.task?.(member);
  const question: Question = { about: 'analysis', of: member };
  const asked = task ? { answers: [] } : answersTo([question], seen);
  if ('ask' in asked) return asked;
  const [reply] = asked.answers;
  const isSilent = reply?.silent === true || reply?.unknown === true;
  const answer = reply && { ok: reply.ok, message: reply.message, ...(isSilent && { silent: true as const }) };
  const { failureThreshold = 1 } = analysis ?? {};
  const { failed: failure, blockedBy, ...found } = analyse(member, { judgements, task, answer, failureThreshold }, now);
  if (failure) return failed(failure, seen, { member, ...found });
  const wait = task?.blockedBy === undefined ? blockedBy : `${blockedBy ?? ''}; ${task.blockedBy}`;
  return proceed('Analysing', `${member.name} is analysed`, {
    member,
    ...found,
    ...(blockedBy === undefined || wait === undefined ? {} : { blockedBy: wait }),
  });
}
