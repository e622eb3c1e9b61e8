import type { KVStoreCluster } from '@ordinal/api';
import { pods, statefulSets } from '@ordinal/client';
import { templateHashAnnotation } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';

/** The members that the StatefulSet may replace now. */
export function exposed(cluster: TestCluster): readonly string[] {
  const set = cluster.objects.find(statefulSets, 'default', 'orders');
  const partition = set?.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  const revision = set?.spec.template.metadata?.annotations?.[templateHashAnnotation];
  return cluster.objects
    .list(pods, 'default')
    .filter(({ metadata }) => /^orders-\d+$/.test(metadata.name) && metadata.deletionTimestamp === undefined)
    .filter(({ metadata }) => metadata.annotations?.[templateHashAnnotation] !== revision)
    .map(({ metadata }) => metadata.name)
    .filter((name) => Number(name.slice('orders-'.length)) >= partition);
}

/**
 * The operator that says that members are held holds them next, and does not only report it. `isHeld` reads that in what is asked for and in the status. Reported three
 * times, with no write of the StatefulSet in between, no operator is about to hold them.
 */
export function membersAreHeld(name: string, isHeld: (store: KVStoreCluster) => boolean): Invariant {
  const reported = new WeakMap<TestCluster, number>();
  return {
    name,
    afterRequest: (cluster, { kind, status }) => {
      if (kind === 'statefulsets.apps') reported.delete(cluster);
      if (kind !== 'kvstoreclusters.kvstore.example.com' || status >= 300) return undefined;
      const store = storeNow(cluster);
      // An operator that may not write says so.
      const isReported = store !== undefined && store.status?.processingError === undefined && isHeld(store);
      const members = isReported ? exposed(cluster) : [];
      const times = members.length === 0 ? 0 : (reported.get(cluster) ?? 0) + 1;
      reported.set(cluster, times);
      return times > 2 ? `they are said to be held, and ${members.join(', ')} may go` : undefined;
    },
  };
}
