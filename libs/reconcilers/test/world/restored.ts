import type { Instant } from '@ordinal/client';
import type { TestCluster } from '@ordinal/simulator';

/** Whether etcd was restored to an older state in this history (fault `restore`): something that a user, or the operator, has done is lost then. */
export const wasRestored = (cluster: TestCluster): boolean => cluster.restores.length > 0;

/** How long a call takes at most that is on its way when etcd is restored, in milliseconds. */
export const onItsWayMs = 50;

/** Whether what was done at this time rests on what was written before the last restore of etcd. */
export function isFromBefore(cluster: TestCluster, instant: Instant): boolean {
  const restoredAt = cluster.restores.at(-1);
  return restoredAt !== undefined && instant <= restoredAt + onItsWayMs;
}

/** How long the operator takes at most to notice that revisions went back, and to list all again, in milliseconds. */
const noticedMs = 30_000;

/**
 * Whether a status may be made of two states just now. Revisions repeat after a restore: a patch that was decided on the lost state carries a resourceVersion that the older
 * state has come to by another write, and is merged into that. It is put right as soon as the operator has noticed.
 */
export function mayBeMerged(cluster: TestCluster): boolean {
  const restoredAt = cluster.restores.at(-1);
  return restoredAt !== undefined && cluster.clock.now() <= restoredAt + noticedMs;
}

/** Whether what is done just now may have been on its way when etcd was restored. */
export const isOnItsWay = (cluster: TestCluster): boolean => isFromBefore(cluster, cluster.clock.now());

/**
 * What an oracle remembers, of each cluster. When etcd is restored it begins with nothing: what it has seen may be of the part of the history that is lost, which no object
 * shows any more.
 */
export class Memories<T> {
  readonly #known = new WeakMap<TestCluster, { readonly restores: number; readonly memory: T }>();
  readonly #make: (cluster: TestCluster) => T;

  /** `make` gives a memory with nothing in it. */
  constructor(make: (cluster: TestCluster) => T) {
    this.#make = make;
  }

  /** What is remembered of a cluster since its etcd was restored last. */
  of(cluster: TestCluster): T {
    const restores = cluster.restores.length;
    const known = this.#known.get(cluster);
    if (known?.restores === restores) return known.memory;
    const memory = this.#make(cluster);
    this.#known.set(cluster, { restores, memory });
    return memory;
  }
}
