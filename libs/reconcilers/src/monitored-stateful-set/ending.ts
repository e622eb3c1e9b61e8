import type { MonitoredStatefulSetStatus } from '@ordinal/api';
import type { Pod, StatefulSet } from '@ordinal/client';
import { pods as podKind, statefulSets } from '@ordinal/client';
import type { Action } from '@ordinal/lifecycle';
import { ordinalIn } from '@ordinal/lifecycle';
import { wasMemberDeletable } from '../upgrade/deletable.ts';
import { membersOf } from './members.ts';
import type { MonitoredSetObservation } from './observation.ts';

type Ending = NonNullable<MonitoredStatefulSetStatus['ending']>[number];

/** What is known of the members that end. */
export interface EndingMembers {
  /** Those that end, or are about to by the operator's own hand, to be recorded. */
  readonly ending: readonly Ending[];
  /** Those that another client has deleted past their gates, one sentence for each. */
  readonly bypasses: readonly string[];
  /** It says something new that an old view of the pods would lead to as well: they have to be looked at once more. */
  readonly needsConfirmation: boolean;
}

const isEnding = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/** How many members the StatefulSet is given by these actions; Infinity where it is not written. */
function sizeGiven(actions: readonly Action<unknown>[]): number {
  const sizes = actions.flatMap((action) =>
    action.kind === 'apply' && action.descriptor === statefulSets ? [(action.object as StatefulSet).spec.replicas] : [],
  );
  return Math.min(...sizes.map((size = 1) => size), Infinity);
}

/** Whether a member goes by these actions. */
function goesBy(actions: readonly Action<unknown>[], { metadata: { uid } }: Pod, ordinal: number): boolean {
  const isDeleted = actions.some(
    (action) => action.kind === 'delete' && action.descriptor === podKind && action.target.uid === uid,
  );
  return isDeleted || ordinal >= sizeGiven(actions);
}

/** The operator has taken the pods over: what ended before was the business of the StatefulSet's controller. */
const isTakenOver = ({ set, statefulSet }: MonitoredSetObservation): boolean =>
  statefulSet?.spec.updateStrategy?.type === 'OnDelete' && set.status?.revisions !== undefined;

/**
 * Which members end, and which of them by another client's hand past their gates. Pure.
 *
 * **Guarantees.** Each is reported once: with it the record changes. What the operator takes down is recorded before it does.
 *
 * **Assumptions.** The record is written before the actions, on the object as it was seen: so the webhook's reservation, which is written on the same object, has been seen too.
 *
 * **Caveats.** A pod that is gone before it was seen to end, as by `--force`, is not reported.
 */
export function endingMembersAfter(seen: MonitoredSetObservation, actions: readonly Action<unknown>[]): EndingMembers {
  const { set, statefulSet, isConfirmed, gone = [] } = seen;
  const pods = [...seen.pods, ...gone];
  const recorded = new Set((set.status?.ending ?? []).map(({ podUID }) => podUID));
  const isRecorded = ({ metadata }: Pod): boolean => recorded.has(metadata.uid);
  const ordinalOf = ({ metadata }: Pod): number => ordinalIn(metadata.name, set.metadata.name) ?? -1;
  const goes = (pod: Pod): boolean => goesBy(actions, pod, ordinalOf(pod));
  // Its deletion was refused, or the StatefulSet's controller is about to take it away.
  const stays = (pod: Pod): boolean => isConfirmed && ordinalOf(pod) < (statefulSet?.spec.replicas ?? 1);
  const bypassed =
    seen.namespaceEnds === true || !isTakenOver(seen)
      ? []
      : pods.filter((pod) => isEnding(pod) && !isRecorded(pod) && !wasMemberDeletable(pod, membersOf(seen)));
  return {
    ending: pods
      .filter((pod) => isEnding(pod) || goes(pod) || (isRecorded(pod) && !stays(pod)))
      .map(({ metadata: { name, uid } }) => ({ pod: name, podUID: uid })),
    bypasses: bypassed.map(({ metadata }) => `${metadata.name} was deleted past its gates`),
    needsConfirmation: bypassed.length > 0 || pods.some((pod) => isRecorded(pod) && !isEnding(pod) && !goes(pod)),
  };
}
