import type { KVStoreClusterStatus } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { conditionOf, instantOf } from '@ordinal/client';
import type { RolloutObservation } from '@ordinal/lifecycle';
import { observeAsked } from '../asked-members.ts';
import { checksOf, gateJobsOf } from './member-checks.ts';
import type { Observation } from './observation.ts';
import { membersOf, wantedHash } from './observation.ts';
import { isReleased } from './reserved.ts';

/** The steps in which a member that still serves is asked. */
export const askingSteps = ['HandingOff', 'AwaitingGate', 'AwaitingSync'] as const;

/** What has been waited for by the status: the step of an upgrade or, outside of one, since when a reduction is blocked. */
function waitingOf({ upgrade, conditions }: KVStoreClusterStatus = {}): Pick<RolloutObservation, 'waiting'> {
  const step = askingSteps.find((each) => each === upgrade?.step);
  const scaled = conditionOf(conditions, 'Scaled');
  const reduced = scaled?.status === 'False' ? scaled.lastTransitionTime : undefined;
  const since = instantOf(step === undefined ? reduced : upgrade?.since);
  if (since === undefined) return {};
  const { podUID } = upgrade ?? {};
  const of = step === undefined ? {} : { step, ...(podUID === undefined ? {} : { podUID }) };
  return { waiting: { since, ...of } };
}

/** A cluster and its members, as the rules of a rollout see them. `revision`: the hash of the template that members are brought to. */
export function observeRollout(seen: Observation, revision: string, now: Instant): RolloutObservation {
  const { cluster, statefulSet, pods, asked: answers = new Map() } = seen;
  const { spec, status } = cluster;
  const members = membersOf(seen);
  const reserved = members.find((member) => isReleased(member, seen))?.uid ?? seen.reserved;
  const asked = { object: cluster, wantedReplicas: spec.replicas, pods, reserved };
  return {
    ...observeAsked({ ...asked, checks: checksOf(spec), gateJobs: gateJobsOf(seen, now) }, answers),
    members,
    replicas: statefulSet?.spec?.replicas ?? spec.replicas,
    revision,
    finalizer: '',
    setIsCurrent: (statefulSet?.status?.observedGeneration ?? 0) >= (statefulSet?.metadata.generation ?? 0),
    ...waitingOf(status),
    ...(status?.failedRevision === wantedHash(cluster) ? { failedRevision: status.failedRevision } : {}),
  };
}
