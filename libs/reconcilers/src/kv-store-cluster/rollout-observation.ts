import type { KVStoreClusterStatus } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { conditionOf, instantOf } from '@ordinal/client';
import type { RolloutObservation } from '@ordinal/lifecycle';
import { answerTo, observeChecks, recordedOn } from '@ordinal/lifecycle';
import { memberAnnotations } from '../annotations.ts';
import { checksOf, gateJobsOf } from './member-checks.ts';
import type { Observation } from './observation.ts';
import { durationOf, membersOf, wantedHash } from './observation.ts';
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
  const { cluster, statefulSet, asked: answers = new Map() } = seen;
  const { spec, status } = cluster;
  const members = membersOf(seen);
  const checks = checksOf(spec);
  const reserved = members.find((member) => isReleased(member, seen))?.uid ?? seen.reserved;
  return {
    members,
    replicas: statefulSet?.spec?.replicas ?? spec.replicas,
    wantedReplicas: spec.replicas,
    revision,
    finalizer: '',
    deadlineMs: durationOf(spec.upgrade?.progressDeadline, 15 * 60_000),
    setIsCurrent: (statefulSet?.status?.observedGeneration ?? 0) >= (statefulSet?.metadata.generation ?? 0),
    paused: false,
    order: 'ReverseOrdinal',
    hasRun: status?.currentRevision !== undefined,
    ...observeChecks(checks),
    answer: (question) => answerTo(question, { checks, answers, jobs: gateJobsOf(seen, now) }),
    ...waitingOf(status),
    ...recordedOn(cluster, seen.pods, memberAnnotations),
    ...(status?.failedRevision === wantedHash(cluster) ? { failedRevision: status.failedRevision } : {}),
    ...(reserved === undefined ? {} : { reserved }),
  };
}
