import type { Answers, Member, RolloutObservation } from '@ordinal/lifecycle';
import { ordinalIn } from '@ordinal/lifecycle';
import type { Asked } from '../asked-members.ts';
import { observeAsked } from '../asked-members.ts';
import type { DecisionInputs } from '../kind.ts';
import { askedOfUpgrade } from './canary.ts';
import { hookOf } from './hook.ts';
import type { RunTask } from './jobs.ts';
import type { SeenMembers } from './kept-replicas.ts';
import { keptReplicas, unclaimedOrdinal } from './kept-replicas.ts';
import { currentProgress, waitingOf } from './progress.ts';
import type { Goal, Upgradable } from './upgradable.ts';

/** An object whose pods are upgraded, and its members as its kind sees them. */
export interface SeenUpgrade
  extends
    SeenMembers,
    Pick<Asked, 'checks' | 'gateJobs' | 'reserved'>,
    Pick<RolloutObservation, 'finalizer' | 'isOrdered'> {
  readonly members: readonly Member[];
  readonly run: RunTask;
}

/** One more look and its time. */
export interface AnsweredInputs extends DecisionInputs {
  readonly answers: Answers;
}

/** What the state of the rollout depends on beside what was observed. */
export interface UpgradeInputs extends AnsweredInputs {
  readonly wanted: Goal;
  /** The StatefulSet is about to be changed. */
  readonly childrenPending: boolean;
  /** How long the next member may take, in milliseconds. Absent: as the spec says. */
  readonly deadlineMs?: number | undefined;
}

/** The ordinals of those that went alone, and were not back yet when the status was written. */
const aloneIn = ({ metadata, status }: Upgradable): readonly number[] =>
  (status?.upgrade?.members ?? []).flatMap(({ pod, alone }) =>
    alone === true ? (ordinalIn(pod, metadata.name) ?? []) : [],
  );

/** The StatefulSet’s controller has looked at it as it is. */
const isObserved = (set: SeenUpgrade['set']): boolean =>
  set !== undefined && (set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0);

/** An object and its members, as the rollout engine sees them. */
export function observeUpgrade(seen: SeenUpgrade, inputs: UpgradeInputs): RolloutObservation {
  const { wanted, childrenPending, answers, now } = inputs;
  const { object, wantedReplicas, set, pods, members, run } = seen;
  const { finalizer, isOrdered = false } = seen;
  const replicas = Math.max(set?.spec.replicas ?? 0, wantedReplicas);
  const progress = currentProgress(members, object, { wanted, replicas, now });
  const hook = hookOf(object, { wanted, progress }, run);
  const asked = observeAsked(seen, answers);
  return {
    ...asked,
    members,
    replicas: set?.spec.replicas ?? keptReplicas(seen),
    unclaimed: pods.flatMap((pod) => unclaimedOrdinal(pod, seen) ?? []),
    finalizer,
    revision: wanted.revision,
    deadlineMs: inputs.deadlineMs ?? asked.deadlineMs,
    setIsCurrent: !childrenPending && isObserved(set),
    alone: aloneIn(object),
    isOrdered,
    ...waitingOf(object),
    ...(wanted.rollingBack ? { failedRevision: wanted.specRevision } : {}),
    ...(progress ? { progress } : {}),
    ...(hook ? { hook } : {}),
    ...askedOfUpgrade(object, { wanted, progress }, run),
  };
}
