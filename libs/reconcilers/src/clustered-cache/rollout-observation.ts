import type { ClusteredCache } from '@ordinal/api';
import { milliseconds, templateHashAnnotation } from '@ordinal/constructs';
import type { Answers, RolloutObservation } from '@ordinal/lifecycle';
import { answerTo, membersOfSet, observeChecks, recordedOn } from '@ordinal/lifecycle';
import { memberAnnotations } from '../annotations.ts';
import type { DecisionInputs } from '../kind.ts';
import { askedOfUpgrade } from '../upgrade/canary.ts';
import { hookOf } from '../upgrade/hook.ts';
import type { RunTask } from '../upgrade/jobs.ts';
import { currentProgress, waitingOf } from '../upgrade/progress.ts';
import { keptReplicas, unclaimedOrdinal } from './kept-replicas.ts';
import { checksOf, gateJobsOf } from './member-checks.ts';
import { preTerminateHook } from './names.ts';
import type { CacheObservation } from './observe.ts';
import { cacheTask } from './task.ts';
import { isTakenOut } from './taken-out.ts';
import type { Goal } from './template.ts';

/** One more look and its time. */
export interface Inputs extends DecisionInputs {
  readonly answers: Answers;
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
  const { set } = children;
  const replicas = Math.max(set?.spec.replicas ?? 0, cache.spec.replicas);
  const progress = currentProgress(members, cache, { wanted, replicas, now });
  const run: RunTask = (task) => cacheTask(seen, task, now);
  const hook = hookOf(cache, { wanted, progress }, run);
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
    ...askedOfUpgrade(cache, { wanted, progress }, run),
    ...recordedOn(cache, seen.pods, memberAnnotations),
    ...(seen.reserved === undefined ? {} : { reserved: seen.reserved }),
  };
}
