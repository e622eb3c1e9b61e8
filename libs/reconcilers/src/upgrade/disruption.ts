import type { DisruptionView, RolloutObservation } from '@ordinal/lifecycle';
import type { SeenMembers } from './kept-replicas.ts';
import { gatedReplicas, unclaimedOrdinal } from './kept-replicas.ts';
import type { Upgradable } from './upgradable.ts';

/** What the gate of drains and deletions decides from about the members of an object. Pure. */
export function disruptionViewOf(members: SeenMembers, rollout: RolloutObservation): DisruptionView {
  const busy = takenDownNow(members.object);
  return {
    rollout,
    setName: members.object.metadata.name,
    gatedReplicas: gatedReplicas(members),
    pods: members.pods,
    isUnclaimed: (pod) => unclaimedOrdinal(pod, members) !== undefined,
    ...(busy ? { busy } : {}),
  };
}

/** Steps in which one member is down, or about to be, by the operator's own hand. */
const steps: ReadonlySet<string> = new Set([
  'TakingDown',
  'AwaitingTermination',
  'AwaitingReplacement',
  'AwaitingReady',
  'AwaitingSync',
]);

/** What the operator does with another member, by the status that it seals before it takes one down: conditions have no seal. */
function takenDownNow({ status }: Upgradable): DisruptionView['busy'] {
  const { upgrade } = status ?? {};
  const step = upgrade?.step ?? status?.step;
  // Which members are behind is asked by the gates themselves; outside of an upgrade such a member may go itself.
  if (step === undefined || !steps.has(step) || (step === 'AwaitingSync' && !upgrade)) return undefined;
  const { podUID, message = step } = upgrade ?? {};
  const because = `the operator is replacing another member (${message})`;
  return { because, ...(podUID === undefined ? {} : { podUID }) };
}
