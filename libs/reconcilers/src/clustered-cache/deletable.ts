import type { Pod } from '@ordinal/client';
import { allowedOn, wasDeletable } from '@ordinal/lifecycle';
import { memberAnnotations } from '../annotations.ts';
import type { CacheObservation } from './observe.ts';

/** Whether no gate was bypassed although another client deleted this member of a cache. */
export function wasMemberDeletable(pod: Pod, { cache, children: { set } }: CacheObservation): boolean {
  return wasDeletable(pod, {
    statefulSet: set,
    kept: Math.max(cache.spec.replicas, set?.spec.replicas ?? 1),
    allowed: allowedOn(cache, memberAnnotations),
  });
}
