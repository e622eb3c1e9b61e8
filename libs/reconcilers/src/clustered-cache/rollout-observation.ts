import type { ClusteredCache } from '@ordinal/api';
import { conditionOf, instantOf } from '@ordinal/client';
import { milliseconds, templateHashAnnotation } from '@ordinal/constructs';
import type { Answers, Member, Progress, RolloutObservation } from '@ordinal/lifecycle';
import {
  advanceOf,
  answerTo,
  atTheLatest,
  membersOfSet,
  observeChecks,
  recordedOn,
  updatedOf,
} from '@ordinal/lifecycle';
import { memberAnnotations } from '../annotations.ts';
import type { DecisionInputs } from '../kind.ts';
import { askedOfUpgrade } from './canary.ts';
import { hookOf } from './hook.ts';
import { keptReplicas, unclaimedOrdinal } from './kept-replicas.ts';
import { checksOf, gateJobsOf } from './member-checks.ts';
import { preTerminateHook } from './names.ts';
import type { CacheObservation } from './observe.ts';
import { progressOf } from './status.ts';
import { isTakenOut } from './taken-out.ts';
import type { Goal } from './template.ts';

/** One more look and its time. */
export interface Inputs extends DecisionInputs {
  readonly answers: Answers;
}

/** The upgrade that is under way: the recorded one, or one that begins now, because what is wanted is new. */
function currentProgress(
  members: readonly Member[],
  { cache, children }: CacheObservation,
  { wanted, now }: Pick<RolloutInputs, 'wanted' | 'now'>,
): Progress | undefined {
  const recorded = progressOf(cache.status?.upgrade);
  const retried = recorded?.step === 'Failed' && !wanted.failed;
  const replicas = Math.max(children.set?.spec.replicas ?? 0, cache.spec.replicas);
  const aim = { revision: wanted.revision, replicas };
  if (recorded?.revision === wanted.revision && !retried) {
    const begun = { ...recorded, startedAt: atTheLatest(recorded.startedAt, now) };
    // Of one that has failed it stays reported how far it had come.
    return begun.step === 'Failed' ? begun : { ...begun, ...advanceOf(begun, members, aim, now) };
  }
  if (members.every(({ revision }) => revision === wanted.revision) && !recorded) return undefined;
  return {
    ...recorded,
    revision: wanted.revision,
    startedAt: now,
    lastProgressAt: now,
    updated: updatedOf(members, aim),
    step: recorded && !retried && recorded.step !== 'Failed' ? recorded.step : 'Starting',
  };
}

/** What the state of the rollout depends on beside what was observed. */
export interface RolloutInputs extends Inputs {
  readonly wanted: Goal;
  /** The StatefulSet is about to be changed. */
  readonly childrenPending: boolean;
  /** How long the next member may take, in milliseconds. Absent: as the spec says. */
  readonly deadlineMs?: number;
}

const specifiedDeadlineMs = ({ spec }: ClusteredCache): number => milliseconds(spec.upgrade?.progressDeadline ?? '15m');

/** What has been waited for by the status: the step of an upgrade or, outside of one, since when there is something to do. */
function waitingOf({ status }: ClusteredCache): Pick<RolloutObservation, 'waiting'> {
  const { upgrade, conditions } = status ?? {};
  const progressing = conditionOf(conditions, 'Progressing');
  const since = instantOf(
    upgrade?.since ?? (progressing?.status === 'True' ? progressing.lastTransitionTime : undefined),
  );
  if (since === undefined) return {};
  const { step, podUID } = upgrade ?? {};
  return { waiting: { since, ...(step === undefined ? {} : { step }), ...(podUID === undefined ? {} : { podUID }) } };
}

/** A cache and its members, as the rollout engine sees them. */
export function observeRollout(seen: CacheObservation, inputs: RolloutInputs): RolloutObservation {
  const { wanted, childrenPending, answers, now } = inputs;
  const { cache, children } = seen;
  const { upgrade } = cache.spec;
  const checks = checksOf(cache.spec);
  const members = membersOfSet({
    ...{ statefulSet: children.set, pods: seen.pods.filter((pod) => !isTakenOut(pod)) },
    ...{ revisionAnnotation: templateHashAnnotation, finalizer: preTerminateHook, template: wanted.template },
  });
  const progress = currentProgress(members, seen, inputs);
  const hook = hookOf(seen, { wanted, progress }, inputs.now);
  const { set } = children;
  return {
    members,
    replicas: set?.spec.replicas ?? keptReplicas(seen),
    wantedReplicas: cache.spec.replicas,
    unclaimed: seen.pods.flatMap((pod) => unclaimedOrdinal(pod, seen) ?? []),
    hasRun: cache.status?.currentRevision !== undefined,
    finalizer: preTerminateHook,
    revision: wanted.revision,
    deadlineMs: inputs.deadlineMs ?? specifiedDeadlineMs(cache),
    setIsCurrent:
      set !== undefined && !childrenPending && (set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0),
    paused: upgrade?.paused ?? false,
    order: upgrade?.order ?? 'ReverseOrdinal',
    ...observeChecks(checks),
    answer: (question) => answerTo(question, { checks, answers, jobs: gateJobsOf(seen, now) }),
    ...waitingOf(cache),
    ...(wanted.rollingBack ? { failedRevision: wanted.specRevision } : {}),
    ...(progress ? { progress } : {}),
    ...(hook ? { hook } : {}),
    ...askedOfUpgrade(seen, { wanted, progress }, inputs.now),
    ...recordedOn(cache, seen.pods, memberAnnotations),
    ...(seen.reserved === undefined ? {} : { reserved: seen.reserved }),
  };
}
