import type { Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import type { Frontier, Member } from '@ordinal/lifecycle';
import { aheadFrom, analyse, bakedAt, frontierOf, judgementOf, namesUpgrade, withCauseOfJob } from '@ordinal/lifecycle';
import { abortAnnotation, promoteAnnotation } from '../annotations.ts';
import { waitsFor } from './causes.ts';
import { analysisTask } from './jobs.ts';
import type { Observation } from './observation.ts';
import { durationOf, objectOf } from './observation.ts';
import type { UpgradeView } from './upgrade.ts';
import type { UpgradeRecord } from './verdict.ts';
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

/** The member that has to be asked now, for analyses that are not Jobs. Undefined where none has to be. */
export function memberToAsk(view: UpgradeView): Member | undefined {
  const { record, cluster } = view;
  const { http, exec } = cluster.spec.canary?.analysis ?? {};
  const underWay =
    view.previous !== '' && view.previous !== view.wanted && cluster.status?.failedRevision !== view.wanted;
  if (!underWay || cluster.spec.upgradeStrategy !== 'Canary' || (!http && !exec)) return undefined;
  const frontier = canaryFrontier(view, Infinity); // Where a member is asked, baking alone makes no canary done.
  if (!frontier?.member || !isUpdated(frontier.member, view)) return undefined;
  return judgementOf(record?.analysed, frontier.member)?.result === undefined ? frontier.member : undefined;
}

/** When a member has baked; one that the partition has let others follow has, where the clock was set back since it got ready. */
function hasBakedAt(member: Member, { cluster, record }: UpgradeView, now: Instant): Instant {
  const bakeMs = durationOf(cluster.spec.canary?.bake, 0);
  if (member.since > now && (record?.partition ?? member.ordinal) < member.ordinal) return now;
  const isRecorded = record?.step === 'Baking' && record.pod === member.name;
  return bakedAt(member, { bakeMs, recordedSince: isRecorded ? record.since : undefined }, now);
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
  const until = hasBakedAt(member, view, now);
  if (ordinal >= canary && now < until) {
    return {
      partition: ordinal,
      step: 'Baking',
      pod,
      blockedBy: `${pod} has to stay ready until ${timestamp(until)}`,
      lookAgainAt: until,
    };
  }
  return analyseMember(seen, record, member, now);
}

/** Judges a member, by a Job or by what it answered in this reconcile. */
function analyseMember(seen: Observation, record: UpgradeRecord, member: Member, now: Instant): Verdict {
  const { analysis } = seen.cluster.spec.canary ?? {};
  const common = { partition: member.ordinal, step: 'Analysing', pod: member.name } as const;
  if (!analysis) return { ...common, step: 'Completing' };
  const { startedAt } = record;
  const task = analysis.job && analysisTask(seen, { member, ...(startedAt === undefined ? {} : { startedAt }) }, now);
  const { analysed, blockedBy, ...found } = analyse(
    member,
    {
      judgements: record.analysed,
      task,
      answer: seen.answers.get(member.uid),
      failureThreshold: analysis.failureThreshold,
    },
    now,
  );
  return {
    ...{ ...common, ...found },
    ...(analysed !== undefined && { analysed: [...analysed] }),
    ...(blockedBy !== undefined && {
      blockedBy: task ? withCauseOfJob(seen.taskPods, task.record.job, blockedBy) : blockedBy,
    }),
  };
}
