import type { RolloutObservation } from './observation.ts';
import { isCurrent } from './outcome.ts';

const ordinalOf = (pod: string): number => Number(pod.slice(pod.lastIndexOf('-') + 1));

/**
 * What happened to the member in our hands that we did not do: its finalizer was taken off, or it was deleted before its gates were open, or it went
 * before we let it go. Undefined where all is as we left it.
 *
 * **Assumptions.** A step is recorded before what it does: a member that is gone although no step let it go was let go by somebody else.
 */
export function bypassOf(seen: RolloutObservation): string | undefined {
  const { step, pod, podUID } = seen.progress ?? {};
  if (pod === undefined || podUID === undefined || ordinalOf(pod) >= seen.wantedReplicas) return undefined;
  const beforeTheGate = step === 'HandingOff' || step === 'AwaitingGate';
  const inOurHands = beforeTheGate || step === 'TakingDown' || step === 'AwaitingTermination';
  if (!inOurHands) return undefined;
  const member = seen.members.find(({ uid }) => uid === podUID);
  if (!member) return `${pod} went before its gates had let it go`;
  if (beforeTheGate && member.terminating) return `${pod} was deleted before its gates were open`;
  if (beforeTheGate && !member.held && !isCurrent(member, seen)) return `the finalizer of ${pod} was taken off`;
  return undefined;
}
