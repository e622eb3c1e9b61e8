import type { Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import { analyse } from '../canary/analysis.ts';
import type { Bake } from '../canary/judgement.ts';
import { bakedAt, judgementOf, withJudgement } from '../canary/judgement.ts';
import { durationText } from '../decision/index.ts';
import type { CanaryPolicy } from './canary-policy.ts';
import { membersBehind } from './catch-up.ts';
import { failedCheckIn } from './failed-check.ts';
import { failed } from './failed.ts';
import type { Member } from './member.ts';
import type { Question, RolloutObservation } from './observation.ts';
import type { RolloutOutcome, Rule, Verdict } from './outcome.ts';
import { isCurrent, isKept, proceed } from './outcome.ts';
import type { Step } from './step.ts';

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

/** Whether no member that goes now is a canary: so many as are asked for serve, and nothing is left to be found out, or waited for. Pure. */
export function areCanariesDone(seen: RolloutObservation): boolean {
  const { canary, wantedReplicas } = seen;
  if (canary === undefined) return true;
  const done = updatedIn(seen).filter((member) => member.ready && isDone(member, seen, canary));
  return areJudged(seen) && !awaitsPromotion(seen) && done.length >= Math.min(canary.replicas, wantedReplicas);
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
  if (next) return judge(next, { ...seen, canary }, now);
  if (!awaitsPromotion(seen) || !updatedIn(seen).every(({ ready }) => ready)) return undefined;
  return awaitPromotion(canary);
};

/** The others wait for a user. */
export const awaitPromotion = ({ abortBy }: CanaryPolicy, rest: Partial<RolloutOutcome> = {}): Verdict =>
  proceed('AwaitingPromotion', 'the canaries have passed', {
    blockedBy: `promotion is manual, and no user has promoted it yet (to go back: ${abortBy})`,
    release: 'promotion',
    ...rest,
  });

/** The same beside members that are not ready, or away: those hold up no judgment. What shrinks, is paused or has not caught up comes first. */
export const judgeCanaries: Rule = (seen, now) => {
  const isHeldUp =
    seen.replicas > seen.wantedReplicas || (seen.paused && seen.members.some((one) => !isCurrent(one, seen)));
  if (!seen.canary || isHeldUp) return undefined;
  const found = membersBehind(seen);
  if ('ask' in found) return found;
  return found.lags.some(({ question: { of } }) => isCurrent(of, seen)) ? undefined : awaitCanaries(seen, now);
};

/** What decides about one member that is judged. */
interface MemberJudging
  extends
    Pick<CanaryPolicy, 'bakeMs' | 'analysis' | 'judgements'>,
    Pick<RolloutObservation, 'answer'>,
    Pick<Bake, 'recordedSince'> {
  /** Since when its analysis is awaited, as it is recorded; undefined where it is not yet. */
  readonly analysedSince?: Instant | undefined;
}

/** What becomes of a member that is judged. `analysed` is to be recorded before it is acted on. */
interface MemberJudgement extends Pick<
  RolloutOutcome,
  'message' | 'member' | 'blockedBy' | 'failedCheck' | 'analysed' | 'failed' | 'events' | 'tasks' | 'lookAgainAt'
> {
  readonly step: 'Baking' | 'Analysing';
}

/** Bakes a member, and then judges it, by a Job or by what it answers. `bakeMs` is 0 for one that need not bake. One that gives no answer is no judgment, but a check that has failed. Pure. */
export function judgeMember(
  member: Member,
  { bakeMs, recordedSince, ...judging }: MemberJudging,
  now: Instant,
): { readonly ask: readonly Question[] } | MemberJudgement {
  const until = bakedAt(member, { bakeMs, recordedSince }, now);
  if (bakeMs > 0 && now < until) {
    const blockedBy = `${member.name} has to stay ready until ${timestamp(until)}`;
    return { step: 'Baking', message: `${member.name} is a canary`, member, blockedBy, lookAgainAt: until };
  }
  if (judging.analysis) return analysed(member, judging, now);
  const message = `${member.name} stayed ready for ${durationText(bakeMs)}`;
  return {
    ...{ step: 'Baking', message, member },
    analysed: withJudgement(judging.judgements, member, { result: 'Passed', message }, now),
    events: [{ type: 'Normal', reason: 'CanaryPassed', note: message }],
    // A status write of our own starts no reconcile: the next member goes when we look again, at once, with the judgment on record.
    lookAgainAt: now,
  };
}

function analysed(
  member: Member,
  { judgements, analysis, answer: answerOf, analysedSince }: Omit<MemberJudging, keyof Bake>,
  now: Instant,
): ReturnType<typeof judgeMember> {
  const { task: taskOf, failureThreshold = 1 } = analysis ?? {};
  const task = taskOf?.(member);
  const question: Question = { about: 'analysis', of: member };
  const reply = task ? undefined : answerOf(question);
  if (!task && !reply) return { ask: [question] };
  const isSilent = reply?.silent === true || reply?.unknown === true;
  const unanswered = reply && isSilent ? failedCheckIn([{ ...reply, question }], now - (analysedSince ?? now)) : {};
  const answer = reply && { ok: reply.ok, message: reply.message, ...(isSilent && { silent: true as const }) };
  const { blockedBy, ...found } = analyse(member, { judgements, task, answer, failureThreshold }, now);
  const wait = task?.blockedBy === undefined ? blockedBy : `${blockedBy ?? ''}; ${task.blockedBy}`;
  return {
    ...{ step: 'Analysing', message: `${member.name} is analysed`, member, ...found, ...unanswered },
    ...(blockedBy === undefined || wait === undefined ? {} : { blockedBy: wait }),
  };
}

/** Since when it is on record that this member is in this step; undefined where it is not. */
const inStepSince = (step: Step, { uid }: Member, { progress }: RolloutObservation): Instant | undefined =>
  progress?.step === step && progress.podUID === uid ? progress.since : undefined;

/** The first canaries bake, and each member that is replaced is judged. */
function judge(member: Member, seen: RolloutObservation & { readonly canary: CanaryPolicy }, now: Instant): Verdict {
  const { answer, canary: policy } = seen;
  const bakes = inStepSince('Baking', member, seen);
  const recordedSince = bakes === undefined ? undefined : timestamp(bakes);
  const analysedSince = inStepSince('Analysing', member, seen);
  const bakeMs = areEnough(seen, policy) ? 0 : policy.bakeMs;
  const judgement = judgeMember(member, { ...policy, bakeMs, recordedSince, analysedSince, answer }, now);
  if ('ask' in judgement) return judgement;
  const { step, message, failed: failure, ...found } = judgement;
  return failure ? failed(failure, seen, found) : proceed(step, message, found);
}
