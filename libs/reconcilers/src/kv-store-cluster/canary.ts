import type { Instant } from '@ordinal/client';
import { instantOf } from '@ordinal/client';
import { durationOf } from '@ordinal/constructs';
import type { Bake, Frontier, Member, Question } from '@ordinal/lifecycle';
import {
  aheadFrom,
  bakedAt,
  frontierOf,
  judgeMember,
  judgementOf,
  namesUpgrade,
  questionKey,
} from '@ordinal/lifecycle';
import { abortAnnotation, promoteAnnotation } from '../annotations.ts';
import { waitsFor } from './causes.ts';
import { analysisTask } from './jobs.ts';
import type { Observation } from './observation.ts';
import { objectOf } from './observation.ts';
import type { UpgradeView } from './upgrade.ts';
import { isUpdated } from './upgrade.ts';
import type { Verdict } from './verdict.ts';

/** Whether an annotation names this upgrade: by the revision that it leads to, or by a version that does not run yet. */
export function names(view: UpgradeView, annotation: string): boolean {
  const { cluster, wanted } = view;
  const { version } = cluster.spec;
  const aim = { revision: wanted, version, runs: cluster.status?.currentVersion };
  return namesUpgrade(cluster.metadata.annotations?.[annotation], aim);
}

/** The lowest ordinal of the members that are judged as canaries before the others follow. */
function firstCanary({ cluster }: UpgradeView): number {
  return Math.max(0, cluster.spec.replicas - (cluster.spec.canary?.replicas ?? 1));
}

/** How long a member bakes, and since when that is recorded. */
function bakeOf({ name }: Member, { cluster, record }: UpgradeView): Bake {
  const isRecorded = record?.step === 'Baking' && record.pod === name;
  return { bakeMs: durationOf(cluster.spec.canary?.bake, 0), recordedSince: isRecorded ? record.since : undefined };
}

/** When a member has baked; one that the partition has let others follow has, where the clock was set back since it got ready. */
function hasBakedAt(member: Member, view: UpgradeView, now: Instant): Instant {
  const isFollowed = (view.record?.partition ?? member.ordinal) < member.ordinal;
  return member.since > now && isFollowed ? now : bakedAt(member, bakeOf(member, view), now);
}

/** A canary without an analysis is done when it has baked. One that others have followed already is not baked again. */
function isBaking(member: Member, view: UpgradeView, now: Instant): boolean {
  const { analysis } = view.cluster.spec.canary ?? {};
  const canary = firstCanary(view);
  if (analysis !== undefined || member.ordinal < canary) return false;
  if (view.members.some(({ ordinal, revision }) => ordinal < canary && revision === view.wanted)) return false;
  return now < hasBakedAt(member, view, now);
}

/** The highest ordinal that is not done: not replaced, not serving, not baked, or not judged. Undefined when all are. */
function canaryFrontier(view: UpgradeView, now: Instant): Frontier | undefined {
  const { replicas, canary } = view.cluster.spec;
  const isJudged = (member: Member): boolean =>
    canary?.analysis === undefined || judgementOf(view.record?.analysed, member)?.result === 'Passed';
  const isDone = (member: Member): boolean =>
    isUpdated(member, view) && !isBaking(member, view, now) && isJudged(member);
  return frontierOf(replicas, view.members, isDone);
}

/** It was released already, and does not serve as what is wanted yet: no promotion is awaited that would release it. */
const isOnItsWay = (frontier: Frontier | undefined, view: UpgradeView): boolean =>
  frontier !== undefined &&
  frontier.ordinal >= aheadFrom(view) &&
  !(frontier.member !== undefined && isUpdated(frontier.member, view));

/**
 * The next step of a canary.
 *
 * **Expected flow.** From the highest ordinal down, one member at a time: the partition lets it go, it comes back with the new revision, it stays ready
 * through the bake time, its analysis passes. After the canaries, a person promotes where the spec asks for it. The others follow in the same
 * way, without baking. Members that had gone ahead to another template before go on to what is wanted first, each when the one before is ready: held, they would come
 * back as an older version (I30).
 *
 * **Guarantees.** The partition never lets a member go while the one above it is not done. A judgment counts for the pod (UID) and revision that were
 * judged and for no other (S0.9). It is recorded before it is acted on.
 */
export function canaryStep(seen: Observation, view: UpgradeView, now: Instant): Verdict {
  const record = view.record ?? {};
  const frontier = canaryFrontier(view, now);
  const canary = firstCanary(view);
  const promoted = view.cluster.spec.canary?.promotion !== 'Manual' || names(view, promoteAnnotation);
  if (
    (!frontier || frontier.ordinal < canary) &&
    !promoted &&
    !isOnItsWay(frontier, view) &&
    view.members.some((member) => member.revision !== view.wanted)
  ) {
    return {
      partition: canary,
      step: 'AwaitingPromotion',
      blockedBy: `promotion is manual, and no user has promoted it yet (to go back: ${abortAnnotation}=${view.wanted})`,
      release: `kubectl annotate ${objectOf(view.cluster)} ${promoteAnnotation}=${view.wanted} --overwrite`,
    };
  }
  // A status write of our own starts no reconcile: look again, once, to see that it is complete.
  if (!frontier)
    return { partition: 0, step: 'Completing', ...(record.step === 'Completing' ? {} : { lookAgainAt: now }) };
  const { ordinal, member } = frontier;
  const pod = `${view.cluster.metadata.name}-${ordinal}`;
  if (!member || !isUpdated(member, view)) return { partition: ordinal, step: 'Replacing', pod, ...waitsFor(member) };
  return judged(seen, view, member, now);
}

/** Bakes and judges a member that runs what is wanted. Those below it are held meanwhile. */
function judged(seen: Observation, view: UpgradeView, member: Member, now: Instant): Verdict {
  const { ordinal, name: pod } = member;
  const { analysis } = seen.cluster.spec.canary ?? {};
  const isBaking = ordinal >= firstCanary(view) && now < hasBakedAt(member, view, now);
  const { startedAt = '', analysed: judgements = [], ...recorded } = view.record ?? {};
  const isOnRecord = recorded.step === 'Analysing' && recorded.pod === pod;
  const task = analysis?.job && ((one: Member) => analysisTask(seen, { member: one, startedAt }, now));
  const judging = {
    ...{ ...bakeOf(member, view), judgements },
    ...(isBaking ? {} : { bakeMs: 0 }),
    analysedSince: isOnRecord ? instantOf(recorded.since) : undefined,
    ...(analysis && { analysis: { failureThreshold: analysis.failureThreshold, ...(task && { task }) } }),
    answer: (question: Question) => seen.asked?.get(questionKey(question)),
  };
  const judgement = judgeMember(member, judging, now);
  const common = { partition: ordinal, pod } as const;
  if ('ask' in judgement)
    return { ...common, ...judgement, step: 'Analysing', blockedBy: `${pod} has not been asked yet` };
  const { member: _member, message: _message, analysed, step, failedCheck, ...found } = judgement;
  const help = `to see more: kubectl describe pod -n ${member.namespace} ${pod}`;
  return {
    ...{ ...common, ...found, step },
    ...(analysed && { analysed: [...analysed] }),
    ...(failedCheck && { check: { failedCheck, help } }),
  };
}
