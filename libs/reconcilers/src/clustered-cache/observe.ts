import type { ClusteredCache } from '@ordinal/api';
import { clusteredCaches } from '@ordinal/api';
import type { Job, ObjectKey, Pod, PodDisruptionBudget, Service, StatefulSet } from '@ordinal/client';
import { jobs, podDisruptionBudgets, pods, services, statefulSets } from '@ordinal/client';
import { cacheSelector } from '@ordinal/constructs';
import type { CacheReader } from '@ordinal/runtime';

/** All that is known of a cache and of what belongs to it, as the API server last showed it. */
export interface CacheObservation {
  readonly cache: ClusteredCache;
  /** The objects that have the names of the children, whoever controls them. */
  readonly children: {
    readonly set: StatefulSet | undefined;
    readonly membersService: Service | undefined;
    readonly clientService: Service | undefined;
    readonly budget: PodDisruptionBudget | undefined;
  };
  /** The pods that bear the cache's labels, in the order of their names. */
  readonly pods: readonly Pod[];
  /** The Jobs that the cache controls. */
  readonly jobs: readonly Job[];
}

/** The pods that bear the labels of a cache with this key, also when there is none. */
export function podsOf(key: ObjectKey, reader: CacheReader): readonly Pod[] {
  const found = reader.list(pods, { namespace: key.namespace, labels: cacheSelector(key.name) });
  return [...found].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** Looks at everything. Undefined where there is no such cache. */
export function observe(key: ObjectKey, reader: CacheReader): CacheObservation | undefined {
  const cache = reader.get(clusteredCaches, key);
  if (!cache) return undefined;
  const client = { ...key, name: `${key.name}-client` };
  return {
    cache,
    children: {
      set: reader.get(statefulSets, key),
      membersService: reader.get(services, key),
      clientService: reader.get(services, client),
      budget: reader.get(podDisruptionBudgets, key),
    },
    pods: podsOf(key, reader),
    jobs: reader.ownedBy(jobs, cache.metadata.uid),
  };
}
