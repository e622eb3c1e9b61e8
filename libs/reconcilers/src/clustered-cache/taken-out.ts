import type { Pod } from '@ordinal/client';
import { cacheSelector } from '@ordinal/constructs';
import type { CacheNamed } from '@ordinal/constructs';
import { preTerminateHook } from './names.ts';

const bearsLabelsOf = ({ metadata }: Pod, cache: CacheNamed): boolean =>
  Object.entries(cacheSelector(cache)).every(([label, value]) => metadata.labels?.[label] === value);

/**
 * The name of the cache for which a pod is held; undefined where it is not. Whose it is says its own name, that of the StatefulSet and an ordinal, and that it bears our
 * finalizer: labels are changed by people who take a pod out, and with them it loses its owner.
 */
export function holderOf({ metadata: { name, finalizers } }: Pod): string | undefined {
  return finalizers?.includes(preTerminateHook) ? /^(.+)-\d+$/.exec(name)?.[1] : undefined;
}

/** Whether another client has taken a held member out of its set by its labels: it is no member any more, and only the operator removes its finalizer. */
export function isTakenOut(pod: Pod, cache: CacheNamed): boolean {
  return holderOf(pod) !== undefined && !bearsLabelsOf(pod, cache);
}

/** Whether a pod belongs to a cache: one that is held, to the one for which it is; others by the labels by which its StatefulSet selects its members. */
export function belongsTo(cache: CacheNamed, pod: Pod): boolean {
  const holder = holderOf(pod);
  return holder === undefined ? bearsLabelsOf(pod, cache) : holder === cache.name;
}
