import type { Instant } from '@ordinal/client';
import type { Progress, RolloutObservation } from './observation.ts';
import type { Rule } from './outcome.ts';
import { isCurrent, proceed, release } from './outcome.ts';

/** Whether every member is there, runs what it should, and works. */
export function isSettled(seen: RolloutObservation): boolean {
  const settled = seen.members.every((member) => isCurrent(member, seen) && member.ready && !member.held);
  return settled && seen.members.length === seen.replicas && seen.replicas === seen.wantedReplicas;
}

/** When the upgrade that is under way has failed unless a member comes back before; undefined where none is under way, or it has failed already. */
export function deadlineOf({ progress, deadlineMs }: RolloutObservation): Instant | undefined {
  return progress === undefined || progress.step === 'Failed' ? undefined : progress.lastProgressAt + deadlineMs;
}

/** What an upgrade was waiting for when its time was up. */
function waitedFor({ step, pod }: Progress): string {
  const on = pod === undefined ? '' : ` on pod ${pod}`;
  switch (step) {
    case 'AwaitingGate':
    case 'AwaitingTermination':
      return `Timed out waiting for health checks${on}`;
    case 'HandingOff':
      return `Timed out waiting for the hand-off${on}`;
    case 'AwaitingSync':
      return `Timed out waiting for the data to be in sync${on}`;
    case 'Paused':
      return 'Timed out while the upgrade was paused';
    default:
      return `Timed out waiting for readiness${on}`;
  }
}

/**
 * First of all, because a rule before it could return early for ever (I19). Held members go free, so that none is stranded (I3). A failed upgrade
 * stays failed until what is wanted changes.
 */
export const giveUp: Rule = (seen, now) => {
  const { progress } = seen;
  if (!progress || isSettled(seen)) return undefined;
  const alreadyFailed = progress.step === 'Failed';
  if (!alreadyFailed && now < progress.lastProgressAt + seen.deadlineMs) return undefined;
  const actions = seen.members.filter(({ held }) => held).map((member) => release(member, 'the upgrade has failed'));
  const message = `${waitedFor(progress)}: no member has come back for ${seen.deadlineMs / 60_000} minutes`;
  if (alreadyFailed) return proceed('Failed', '', { actions, release: 'retry' });
  return proceed('Failed', message, {
    actions,
    release: 'retry',
    events: [{ type: 'Warning', reason: 'UpgradeFailed', note: message }],
  });
};
