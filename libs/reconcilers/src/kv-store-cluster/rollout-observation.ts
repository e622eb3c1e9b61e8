import type { KVStoreClusterStatus } from '@ordinal/api';
import type { Instant, StatefulSet } from '@ordinal/client';
import { conditionOf, instantOf } from '@ordinal/client';
import type { PartitionObservation, RolloutObservation, TaskStep } from '@ordinal/lifecycle';
import { abortAnnotation } from '../annotations.ts';
import { observeAsked } from '../asked-members.ts';
import { canaryOf, names } from './canary.ts';
import { checksOf, gateJobsOf } from './member-checks.ts';
import type { Observation } from './observation.ts';
import { membersOf, wantedHash } from './observation.ts';
import { isReleased } from './reserved.ts';
import type { DueView, UpgradeView } from './upgrade.ts';
import { progressOf } from './upgrade.ts';

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

/** When it is decided, and whether a member leaves for good with the same decision. */
export interface Circumstances {
  readonly now: Instant;
  readonly isShrinking: boolean;
}

/** It is not there, or no controller has looked at it yet. Until one has, a new template would count as the one that every member runs, and no partition would hold anyone. */
export const isNew = (set: StatefulSet | undefined): boolean => (set?.status?.currentRevision ?? '') === '';

/** What members are brought to. */
interface Aim {
  readonly view: UpgradeView;
  /** The hash of that template. */
  readonly revision: string;
}

function observePartition(
  seen: Observation,
  { view, revision }: Aim,
  { now, isShrinking }: Circumstances,
): PartitionObservation {
  const { statefulSet } = seen;
  return {
    ...observeRollout(seen, revision, now),
    set: view,
    isTakenUp: !isNew(statefulSet),
    readyReplicas: statefulSet?.status?.readyReplicas,
    isShrinking,
  };
}

/** Members that go back to what ran, or all run what is wanted: from this ordinal on they may run it. */
export const observeReturn = (
  seen: Observation,
  { given, ...aim }: Aim & { readonly given: number },
  at: Circumstances,
): PartitionObservation => ({ ...observePartition(seen, aim, at), given });

/** An upgrade that is under way, as the rules of a rollout see it, and how far the Job before its first member has come. */
export function observeUpgrade(
  seen: Observation,
  { view, hook }: { readonly view: DueView; readonly hook?: TaskStep | undefined },
  at: Circumstances,
): PartitionObservation {
  const canary = canaryOf(seen, view, at.now);
  return {
    ...observePartition(seen, { view, revision: view.wanted }, at),
    progress: progressOf(view.record),
    ...(hook && hook.state !== 'Succeeded' ? { hook } : {}),
    ...(canary ? { canary } : {}),
    ...(names(view, abortAnnotation) ? { abortedBy: abortAnnotation } : {}),
  };
}
