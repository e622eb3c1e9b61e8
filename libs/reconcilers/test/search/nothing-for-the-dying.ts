import type { Invariant } from '@ordinal/testing';
import { twoLead } from './two-leaders.ts';

const children = ['statefulsets.apps', 'services', 'poddisruptionbudgets.policy', 'jobs.batch'];

/**
 * What a resource of this kind controls is made only while the resource lives; of two leaders, one may not know yet that the other has let it go. `kind` and `storage` name it:
 * `ClusteredCache`, `clusteredcaches.cache.my.domain`.
 */
export function nothingForTheDying(kind: string, storage: string): Invariant {
  return {
    name: 'nothing is made for an object that is being deleted (I7)',
    afterChange: (cluster, { type, kind: of, object }) => {
      if (type !== 'ADDED' || !children.includes(of)) return undefined;
      const owner = object.metadata.ownerReferences?.find((reference) => reference.kind === kind);
      if (!owner) return undefined;
      const found = cluster.server.store.snapshot(storage).find(([, { metadata }]) => metadata.uid === owner.uid)?.[1];
      if (found === undefined && twoLead(cluster)) return undefined;
      return found !== undefined && found.metadata.deletionTimestamp === undefined
        ? undefined
        : `${of} ${object.metadata.name} was made for ${kind} ${owner.name}, which is going or gone`;
    },
  };
}
