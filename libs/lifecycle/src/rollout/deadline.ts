import type { Instant } from '@ordinal/client';
import { durationText } from '../decision/index.ts';
import { isSuspended, isWaiting } from './advance.ts';
import { areJudged } from './canaries.ts';
import { failed, releaseHeld } from './failed.ts';
import type { Progress, RolloutObservation } from './observation.ts';
import type { Rule, Verdict } from './outcome.ts';
import { isCurrent, proceed, isKept } from './outcome.ts';

/** Whether every member is there, runs what it should, and works. */
export function isSettled(seen: RolloutObservation): boolean {
  const settled = seen.members.every((member) => isCurrent(member, seen) && member.ready && !member.held);
  return settled && areJudged(seen) && seen.members.length === seen.replicas && seen.replicas === seen.wantedReplicas;
}

/** When the upgrade that is under way has failed unless a member comes back before; undefined where none is under way, it has failed already, or it had no deadline when it was recorded. */
export function deadlineOf({
  progress,
  deadlineMs,
}: Pick<RolloutObservation, 'progress' | 'deadlineMs'>): Instant | undefined {
  return progress === undefined || progress.step === 'Failed' || progress.isSuspended === true || isWaiting(progress)
    ? undefined
    : progress.lastProgressAt + deadlineMs;
}

/** What an upgrade was waiting for when its time was up. */
function waitedFor({ step, pod }: Progress): string {
  const on = pod === undefined ? '' : ` on pod ${pod}`;
  switch (step) {
    case 'AwaitingGate':
    case 'AwaitingTermination':
      return `Timed out waiting for health checks${on}`;
    case 'BeforeFirstPod':
      return 'Timed out waiting for the Job before the first member';
    case 'HandingOff':
      return `Timed out waiting for the hand-off${on}`;
    case 'Analysing':
      return `Timed out waiting for the analysis${on}`;
    case 'AwaitingSync':
      return `Timed out waiting for the data to be in sync${on}`;
    default:
      return `Timed out waiting for readiness${on}`;
  }
}

/** Steps that wait for a member which does not serve: nothing is asked in them. */
const startingSteps: ReadonlySet<string> = new Set(['AwaitingReplacement', 'AwaitingReady', 'AwaitingTermination']);

/** The cause in one sentence: the last answer of what was asked, or what keeps the first member that is not ready from it; undefined where neither is known. */
function causeOf(seen: RolloutObservation, { step, blockedBy }: Progress): string | undefined {
  const unready = seen.members.find((member) => !member.ready && !member.terminating && isKept(member, seen));
  const hindered = unready?.unready === undefined ? undefined : `${unready.name}: ${unready.unready}`;
  return startingSteps.has(step) ? (hindered ?? blockedBy) : (blockedBy ?? hindered);
}

/** A user has ended the upgrade. */
function aborted(by: string, { blockedBy }: Progress, seen: RolloutObservation): Verdict {
  const last = blockedBy === undefined ? '' : `, while ${blockedBy}`;
  const still = blockedBy === undefined ? {} : { blockedBy };
  return failed({ reason: 'Aborted', message: `the upgrade was ended by the annotation ${by}${last}` }, seen, still);
}

/**
 * First of all, because a rule before it could return early forever (I19). Held members go free, so that none is stranded (I3). A failed upgrade
 * stays failed until what is wanted changes.
 */
export const giveUp: Rule = (seen, now) => {
  const { progress } = seen;
  if (!progress || isSettled(seen)) return undefined;
  const alreadyFailed = progress.step === 'Failed';
  if (!alreadyFailed && seen.abortedBy !== undefined) return aborted(seen.abortedBy, progress, seen);
  if (!alreadyFailed && (isSuspended(seen) || now < (deadlineOf(seen) ?? Infinity))) return undefined;
  const still = progress.blockedBy === undefined ? {} : { blockedBy: progress.blockedBy };
  if (alreadyFailed) return proceed('Failed', '', { actions: releaseHeld(seen), release: 'retry', ...still });
  const cause = causeOf(seen, progress);
  const overdue = `${waitedFor(progress)}: no member has come back for ${durationText(seen.deadlineMs)}`;
  const message = cause === undefined ? overdue : `${overdue}; ${cause}`;
  const blockedBy = cause === undefined ? {} : { blockedBy: cause };
  return failed({ reason: 'ProgressDeadlineExceeded', message }, seen, blockedBy);
};
