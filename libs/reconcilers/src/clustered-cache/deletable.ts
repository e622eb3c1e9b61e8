import type { ClusteredCache } from '@ordinal/api';
import type { Pod } from '@ordinal/client';
import { allowedOn, wasDeletable } from '@ordinal/lifecycle';
import { memberAnnotations } from '../annotations.ts';
import type { CacheObservation } from './observe.ts';

/** The UIDs of the members whose deletion the webhook has allowed last, or a user by hand. */
export const allowedByAnnotations = (cache: ClusteredCache): readonly string[] => allowedOn(cache, memberAnnotations);

/** How many members there are to be by the spec, or still are by the StatefulSet. */
const keptBySet = ({ cache, children: { set } }: CacheObservation): number =>
  Math.max(cache.spec.replicas, set?.spec.replicas ?? 1);

/** Whether no gate was bypassed although another client deleted this member of a cache. `kept`: the members with lower ordinals have their gates. */
export function wasMemberDeletable(pod: Pod, seen: CacheObservation, kept = keptBySet(seen)): boolean {
  return wasDeletable(pod, { statefulSet: seen.children.set, kept, allowed: allowedByAnnotations(seen.cache) });
}
