import { kvStoreClusters } from '@ordinal/api';
import type { Condition, Job, KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';
import { jobs, persistentVolumeClaims, pods } from '@ordinal/client';
import type { SimulatedCluster, TestCluster } from '@ordinal/simulator';
import { expect } from 'vitest';
import { kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';

/** The KVStoreClusters of the default namespace. */
export const stores = (cluster: TestCluster) => cluster.client()(kvStoreClusters).namespace('default');

/** Changes the spec. */
export const change = (cluster: TestCluster, spec: object) =>
  stores(cluster).patch('orders', { type: 'merge', body: { spec } });

/** Sets annotations, or takes those away that are null. */
export const annotate = (cluster: TestCluster, annotations: object) =>
  stores(cluster).patch('orders', { type: 'merge', body: { metadata: { annotations } } });

/** Sets the finalizers of an object, by which a client holds it, or removes them. */
export const holderOf =
  <Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    cluster: TestCluster,
    descriptor: ResourceDescriptor<Read, Write>,
    name: string,
    namespace = 'default',
  ) =>
  (finalizers: readonly string[] | null) =>
    cluster
      .client()(descriptor)
      .namespace(namespace)
      .patch(name, { type: 'merge', body: { metadata: { finalizers } } });

/** The claims that exist. */
export const claims = (cluster: TestCluster): readonly string[] =>
  cluster.objects.list(persistentVolumeClaims, 'default').map(({ metadata }) => metadata.name);

/** The Jobs of a purpose. */
export const jobsFor = (cluster: TestCluster, purpose: string): readonly Job[] =>
  cluster.objects.list(jobs, 'default').filter(({ metadata }) => metadata.labels?.['ordinal.dev/purpose'] === purpose);

/** The pods of a purpose that are at work. */
export const atWork = (cluster: TestCluster, purpose: string): readonly string[] =>
  cluster.objects
    .list(pods, 'default')
    .filter(
      ({ metadata, status }) => metadata.labels?.['ordinal.dev/purpose'] === purpose && status?.phase === 'Running',
    ) // prettier-ignore
    .map(({ metadata }) => metadata.name);

/** A condition of the cluster. */
export const condition = (cluster: TestCluster, type: string): Condition | undefined =>
  storeNow(cluster)?.status?.conditions?.find((found) => found.type === type);

/** Runs until it is true. Throws where ten virtual hours were not enough. */
export const until = async (cluster: TestCluster, isTrue: () => boolean): Promise<void> => {
  const outcome = await cluster.run({ until: isTrue, maxVirtualMs: 36_000_000 });
  if (outcome !== 'reached') throw new Error(`${outcome} after ten virtual hours at most, not: ${String(isTrue)}`);
};

/** A cluster that has come up. */
export async function ready(spec: Parameters<typeof store>[0] = {}): Promise<SimulatedCluster> {
  const { cluster } = await kvStoreWorld();
  await stores(cluster).create(store(spec));
  expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
  return cluster;
}

/** Members of this version start, and never get ready; tasks of it work. */
export const installUnready = (cluster: TestCluster): void =>
  cluster.image('my-repo/kvstore:1.0', {
    ready: false,
    run: ({ env }) => (env['ORDINAL_PURPOSE'] === undefined ? new Promise<number>(() => undefined) : 0),
  });
