import type { Pod } from '@ordinal/client';
import { statefulSets, controllerOf } from '@ordinal/client';
import { templateHashAnnotation } from '@ordinal/constructs';
import type { Reduction } from '@ordinal/lifecycle';
import { isMadeSmaller, ordinalIn, sizeInUse } from '@ordinal/lifecycle';
import type { CacheObservation } from './observe.ts';

/**
 * How many members there have to be before the next one may leave: as many as the StatefulSet keeps, or as it kept where it is lost. It is made again as large, and its members
 * leave through their gates, one by one: made with what the spec asks for it would take up those that are left, and take away all that are too many at once.
 *
 * **Assumptions.** A member may be away when the StatefulSet is lost: how far a reduction has come stands in the status too. What is seen may be behind: pods that still name
 * a StatefulSet that is gone count too, unless the cache is new and they are those of an earlier one, which go with it.
 */
export function keptReplicas(seen: CacheObservation): number {
  const { spec, status } = seen.cache;
  const { set } = seen.children;
  if (set) return Math.max(set.spec.replicas ?? 1, spec.replicas, sizeInUse(reductionOf(seen), seen.pods));
  return Math.max(spec.replicas, status?.shrinkingFrom ?? 0, ...ordinalsLeft(seen).map((ordinal) => ordinal + 1));
}

/** How far a reduction of a cache has come, and the StatefulSet as it is. */
export const reductionOf = ({ cache, children }: CacheObservation): Reduction => ({
  from: cache.status?.shrinkingFrom,
  set: children.set,
});

/** Another client has made the StatefulSet smaller than a reduction has come. */
export const hasBeenMadeSmaller = (seen: CacheObservation): boolean => isMadeSmaller(reductionOf(seen));

/**
 * How many members have their gates: as many as the StatefulSet keeps or should have, those that a reduction has not taken down yet, and all where a change of
 * the spec has not been looked at.
 */
export function gatedReplicas({ cache, children: { set } }: CacheObservation): number {
  const { spec, status, metadata } = cache;
  const isNew = status?.observedGeneration !== undefined && status.observedGeneration !== metadata.generation;
  return isNew ? Infinity : Math.max(set?.spec.replicas ?? 0, spec.replicas, status?.shrinkingFrom ?? 0);
}

/** The ordinals of the members that a StatefulSet has left behind. */
function ordinalsLeft({ cache, pods }: CacheObservation): readonly number[] {
  const { name } = cache.metadata;
  const hasRun = cache.status?.currentRevision !== undefined;
  return pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter((pod) => isOrphan(pod) || (hasRun && isClaimedBy(name, pod)))
    .flatMap(({ metadata }) => ordinalIn(metadata.name, name) ?? []);
}

/** The ordinal of a pod that the StatefulSet is to take up, or that goes with an earlier one of its name; undefined for any other. */
export function unclaimedOrdinal(pod: Pod, { cache, children: { set } }: CacheObservation): number | undefined {
  const { name } = cache.metadata;
  const controller = controllerOf(pod);
  if (controller && (controller.uid === set?.metadata.uid || !isClaimedBy(name, pod))) return undefined;
  return ordinalIn(pod.metadata.name, name);
}

/** It was made as a member, and has no controller. */
const isOrphan = (pod: Pod): boolean =>
  controllerOf(pod) === undefined && pod.metadata.annotations?.[templateHashAnnotation] !== undefined;

/** It says that a StatefulSet of this name controls it. */
function isClaimedBy(name: string, pod: Pod): boolean {
  const controller = controllerOf(pod);
  return controller?.kind === statefulSets.kind && controller.name === name;
}
