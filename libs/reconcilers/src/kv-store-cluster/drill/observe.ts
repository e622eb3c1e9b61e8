import type { KVStoreCluster, KVStoreClusterStatus } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import { ownerUidLabel } from '@ordinal/constructs';
import type { CacheReader, ReconcileContext } from '@ordinal/runtime';
import type { Decision, SealedStatuses } from '@ordinal/lifecycle';
import type { Observation, SeenScratch } from '../observation.ts';
import { drillsOf, openDrill } from './records.ts';

/** The clusters that were found, each once. */
function seenAs(
  found: readonly (KVStoreCluster | undefined)[],
  statuses: SealedStatuses<KVStoreCluster>,
): readonly SeenScratch[] {
  const byUid = new Map(found.flatMap((cluster) => (cluster ? [[cluster.metadata.uid, cluster] as const] : [])));
  return [...byUid.values()].map((cluster) => ({ cluster, isTrusted: statuses.trusts(cluster) }));
}

const nameOfOpen = (cluster: KVStoreCluster): string | undefined => openDrill(drillsOf(cluster))?.cluster;

/** What the cache shows of the scratch clusters of a cluster. */
export function scratchesInCache(
  cluster: KVStoreCluster,
  cache: CacheReader,
  statuses: SealedStatuses<KVStoreCluster>,
): readonly SeenScratch[] {
  const { uid, namespace = '' } = cluster.metadata;
  const name = nameOfOpen(cluster);
  const named = name === undefined ? undefined : cache.get(kvStoreClusters, { namespace, name });
  return seenAs([...cache.ownedBy(kvStoreClusters, uid), named], statuses);
}

/** What the API server says of the scratch clusters of a cluster, not before that was written last. Nothing is asked where no drill is known. */
export async function scratchesNow(
  { cluster, scratches }: Observation,
  { client, signal }: ReconcileContext,
  statuses: SealedStatuses<KVStoreCluster>,
): Promise<readonly SeenScratch[]> {
  if (drillsOf(cluster).length === 0 && scratches.length === 0) return scratches;
  const { uid, namespace = '', resourceVersion } = cluster.metadata;
  const name = nameOfOpen(cluster);
  const resource = client(kvStoreClusters).namespace(namespace);
  const [made, named] = await Promise.all([
    resource.list({
      labelSelector: `${ownerUidLabel}=${uid}`,
      resourceVersion,
      resourceVersionMatch: 'NotOlderThan',
      signal,
    }),
    name === undefined ? undefined : resource.find(name, { signal }),
  ]);
  return seenAs([...made.items, named], statuses);
}

/** Whether a decision closes the record of a drill: its scratch cluster has to be gone for certain, and a cache may not show it yet. */
export function closesDrill({ status }: Pick<Decision, 'status'>, { cluster }: Observation): boolean {
  const open = openDrill(drillsOf(cluster));
  const { drills = [] } = (status?.status ?? {}) as KVStoreClusterStatus; // Of this kind.
  return open !== undefined && openDrill(drills) === undefined;
}
