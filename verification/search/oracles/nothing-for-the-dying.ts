import type { Instant } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { Memories, onItsWayMs } from '../../../libs/reconcilers/test/world/restored.ts';
import { goesOn } from './two-leaders.ts';

const children = ['statefulsets.apps', 'services', 'poddisruptionbudgets.policy', 'jobs.batch'];

/** What was made last for a resource that does not live, until it is known who has made it. */
const orphans = new WeakMap<TestCluster, { readonly kind: string; readonly message: string }>();

/** Since when the resources go that were asked to go last, by their UIDs. */
const goingSince = new Memories(() => new Map<string, Instant>());

/** Whether a resource has been going for so long that what is made for it now was decided after that. */
const isKnownToGo = (cluster: TestCluster, uid: string): boolean =>
  cluster.clock.now() - (goingSince.of(cluster).get(uid) ?? -Infinity) > onItsWayMs;

/**
 * What a resource of this kind controls is made only while the resource lives. What was on its way when a user deleted the resource is no violation: no precondition of a write names two
 * objects. A leader that was suspended while another one took over may not know yet that it does not; what it had decided before is no violation. `kind` and `storage` name the resource: `ClusteredCache`, `clusteredcaches.cache.my.domain`.
 */
export function nothingForTheDying(kind: string, storage: string): Invariant {
  return {
    name: 'nothing is made for an object that is being deleted (I7)',
    afterChange: (cluster, { type, kind: of, object, previous }) => {
      if (of === storage && object.metadata.deletionTimestamp !== undefined && !previous?.metadata.deletionTimestamp)
        goingSince.of(cluster).set(object.metadata.uid, cluster.clock.now());
      if (type !== 'ADDED' || !children.includes(of)) return undefined;
      const owner = object.metadata.ownerReferences?.find((reference) => reference.kind === kind);
      if (!owner) return undefined;
      const alive = cluster.server.store
        .snapshot(storage)
        .some(([, { metadata }]) => metadata.uid === owner.uid && metadata.deletionTimestamp === undefined);
      const message = `${of} ${object.metadata.name} was made for ${kind} ${owner.name}, which is going or gone`;
      if (!alive && isKnownToGo(cluster, owner.uid)) orphans.set(cluster, { kind: of, message });
      return undefined;
    },
    afterRequest: (cluster, { kind: of, user }) => {
      const orphan = orphans.get(cluster);
      if (orphan?.kind !== of) return undefined;
      orphans.delete(cluster);
      return goesOn(cluster, user) ? undefined : orphan.message;
    },
  };
}
