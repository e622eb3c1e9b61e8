import type { KVStoreCluster } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import type { Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';
import type { TestCluster } from '@ordinal/simulator';
import { isBystander } from '../../../libs/reconcilers/test/world/bystander.ts';

/** What changes of a KVStoreCluster are reported as. */
export const kind = 'kvstoreclusters.kvstore.example.com';

/** The clusters that exist. */
export const clusters = (cluster: TestCluster): readonly KVStoreCluster[] => cluster.objects.list(kvStoreClusters);

/** The cluster that a pod is a member of, while it exists. */
export const ownerOf = (cluster: TestCluster, { metadata }: Pod): KVStoreCluster | undefined =>
  clusters(cluster).find((store) => store.metadata.name === metadata.labels?.['app.kubernetes.io/instance']);

/** The members of the cluster of this name, with those that terminate. */
export const membersOf = (cluster: TestCluster, name: string): readonly Pod[] =>
  cluster.objects.list(pods).filter((pod) => pod.metadata.labels?.['app'] === name && !isBystander(pod));

/** Whether a pod serves and is not about to end. */
export const isReady = (pod: Pod): boolean =>
  pod.metadata.deletionTimestamp === undefined &&
  (pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false);

/** The ordinal in the name of a member. */
export const ordinalOf = (name: string): number => Number(name.slice(name.lastIndexOf('-') + 1));
