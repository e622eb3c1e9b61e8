import type { ClusteredCache } from '@ordinal/api';
import { clusteredCaches } from '@ordinal/api';
import type { Clock, Job, ObjectKey, Pod, PodDisruptionBudget, Service, StatefulSet } from '@ordinal/client';
import { jobs, podDisruptionBudgets, pods, services, statefulSets } from '@ordinal/client';
import { taskOfLabel } from '@ordinal/constructs';
import type { CacheNamed } from '@ordinal/constructs';
import type { ObservedReservations, OwnJobs, SealedJobs } from '@ordinal/lifecycle';
import type { CacheReader } from '@ordinal/runtime';
import { jobsAmong } from '../upgrade/jobs.ts';
import { belongsTo } from './taken-out.ts';

/** All that is known of a cache and of what belongs to it, as the API server last showed it. */
export interface CacheObservation {
  readonly cache: ClusteredCache;
  /** The objects that have the names of the children, also where another owner controls them. */
  readonly children: {
    readonly set: StatefulSet | undefined;
    readonly membersService: Service | undefined;
    readonly clientService: Service | undefined;
    readonly budget: PodDisruptionBudget | undefined;
  };
  /** The pods that bear the cache's labels, and those that were taken out by them while they were held; in the order of their names. */
  readonly pods: readonly Pod[];
  /** The Jobs that the cache controls, and that the operator has made. */
  readonly jobs: readonly Job[];
  /** The pods of Jobs that have a purpose (`spec.upgrade.beforeFirstPod`). */
  readonly taskPods: readonly Pod[];
  /** What Jobs have printed that have just ended, by their names. */
  readonly outputs: ReadonlyMap<string, string>;
  /** The UID of the member whose deletion was allowed last, while no other member may go down because of it. */
  readonly reserved: string | undefined;
  /** The pods and the StatefulSet are as the API server has them, not as the informers show them. */
  readonly isConfirmed: boolean;
  /** The StatefulSet’s controller had seen the StatefulSet as it is before the pods were looked at: by its size it takes no more of them away. */
  readonly isSizeSeen: boolean;
}

/** What a cache is looked at with. */
export interface CacheSources {
  readonly reader: CacheReader;
  readonly clock: Clock;
  /** What was seen of reservations before: the same for as long as the process runs. */
  readonly reservations: ObservedReservations;
  readonly sealedJobs: SealedJobs;
}

/** The pods of a cache with this key, also when there is none: then those that bear the labels of one that had taken nothing over, and those that are held. */
export function podsOf({ namespace, name, spec }: ObjectKey & CacheNamed, reader: CacheReader): readonly Pod[] {
  return reader
    .list(pods, { namespace })
    .filter((pod) => belongsTo({ name, ...(spec && { spec }) }, pod))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** Looks at everything. Undefined where there is no such cache. */
export function observe(key: ObjectKey, sources: CacheSources): CacheObservation | undefined {
  const cache = sources.reader.get(clusteredCaches, key);
  if (!cache) {
    sources.reservations.forget(key);
    return undefined;
  }
  const { reader, clock, reservations, sealedJobs } = sources;
  return observeAround(cache, reader, { reserved: reservations.current(cache, clock), own: sealedJobs.of(cache) });
}

/** Looks at what belongs to a cache, and at the cache as it is given. `reserved`: the UID of the member that may be deleted now. */
export function observeAround(
  cache: ClusteredCache,
  reader: CacheReader,
  { reserved, own }: { readonly reserved: string | undefined; readonly own: OwnJobs },
): CacheObservation {
  const { namespace = '', name } = cache.metadata;
  const key = { namespace, name };
  return {
    cache,
    children: {
      set: reader.get(statefulSets, key),
      membersService: reader.get(services, key),
      clientService: reader.get(services, { namespace, name: `${name}-client` }),
      budget: reader.get(podDisruptionBudgets, key),
    },
    pods: podsOf({ ...key, spec: cache.spec }, reader),
    ...jobsAmong(cache, {
      jobs: reader.ownedBy(jobs, cache.metadata.uid),
      pods: reader.list(pods, { namespace, labels: { [taskOfLabel]: name } }),
      own,
    }),
    outputs: new Map(),
    reserved,
    isConfirmed: false,
    isSizeSeen: false,
  };
}
