import type { Pod, StatefulSet } from '@ordinal/client';
import { statefulSets, controllerOf } from '@ordinal/client';
import type { Reduction } from '@ordinal/lifecycle';
import { isMadeSmaller, ordinalIn, sizeInUse } from '@ordinal/lifecycle';
import type { Upgradable } from './upgradable.ts';

/** The members of an object whose pods are upgraded, as they were seen. */
export interface SeenMembers {
  readonly object: Upgradable;
  /** How many the spec asks for. */
  readonly wantedReplicas: number;
  readonly set: StatefulSet | undefined;
  readonly pods: readonly Pod[];
  /** Whether a pod without a controller was made as a member. */
  readonly wasMember: (pod: Pod) => boolean;
  /** The pods and the StatefulSet are as the API server has them, not as the informers show them. */
  readonly isConfirmed: boolean;
  /** The StatefulSet’s controller had seen the StatefulSet as it is before the pods were looked at: by its size it takes no more of them away. */
  readonly isSizeSeen: boolean;
}

/**
 * How many members there have to be before the next one may leave: as many as the StatefulSet keeps, or as it kept where it is lost. It is made again as large, and its members
 * leave through their gates, one by one: made with what the spec asks for it would take up those that are left, and take away all that are too many at once.
 *
 * **Assumptions.** A member may be away when the StatefulSet is lost: how far a reduction has come stands in the status too. What is seen may be behind: pods that still name
 * a StatefulSet that is gone count too, unless the object is new and they are those of an earlier one, which go with it.
 */
export function keptReplicas(seen: SeenMembers): number {
  const { object, wantedReplicas, set, pods } = seen;
  if (set) return Math.max(set.spec.replicas ?? 1, wantedReplicas, sizeInUse(reductionOf(seen), pods));
  const { shrinkingFrom = 0 } = object.status ?? {};
  return Math.max(wantedReplicas, shrinkingFrom, ...ordinalsLeft(seen).map((ordinal) => ordinal + 1));
}

/** How far a reduction has come, and the StatefulSet as it is. */
const reductionOf = ({ object, set }: SeenMembers): Reduction => ({ from: object.status?.shrinkingFrom, set });

/** Another client has made the StatefulSet smaller than a reduction has come. */
export const hasBeenMadeSmaller = (seen: SeenMembers): boolean => isMadeSmaller(reductionOf(seen));

/**
 * How many members have their gates: as many as the StatefulSet keeps or should have, those that a reduction has not taken down yet, and all where a change of
 * the spec has not been looked at.
 */
export function gatedReplicas({ object, wantedReplicas, set }: SeenMembers): number {
  const { status, metadata } = object;
  const isNew = status?.observedGeneration !== undefined && status.observedGeneration !== metadata.generation;
  return isNew ? Infinity : Math.max(set?.spec.replicas ?? 0, wantedReplicas, status?.shrinkingFrom ?? 0);
}

/** The ordinals of the members that a StatefulSet has left behind. */
function ordinalsLeft({ object, pods, wasMember }: SeenMembers): readonly number[] {
  const { name } = object.metadata;
  const hasRun = object.status?.currentRevision !== undefined;
  return pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter((pod) => (controllerOf(pod) === undefined && wasMember(pod)) || (hasRun && isClaimedBy(name, pod)))
    .flatMap(({ metadata }) => ordinalIn(metadata.name, name) ?? []);
}

/** The ordinal of a pod that the StatefulSet is to take up, or that goes with an earlier one of its name; undefined for any other. */
export function unclaimedOrdinal(pod: Pod, { object, set }: Pick<SeenMembers, 'object' | 'set'>): number | undefined {
  const { name } = object.metadata;
  const controller = controllerOf(pod);
  if (controller && (controller.uid === set?.metadata.uid || !isClaimedBy(name, pod))) return undefined;
  return ordinalIn(pod.metadata.name, name);
}

/** It says that a StatefulSet of this name controls it. */
function isClaimedBy(name: string, pod: Pod): boolean {
  const controller = controllerOf(pod);
  return controller?.kind === statefulSets.kind && controller.name === name;
}
