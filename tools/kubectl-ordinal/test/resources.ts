import type { ClusteredCacheInput, KVStoreClusterInput, MonitoredStatefulSetInput } from '@ordinal/api';
import { clusteredCaches, kvStoreClusters, monitoredStatefulSets } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import type { SimulatedCluster } from '@ordinal/simulator';

/** A cache of three members in the namespace `shop`. */
export const cache = (spec: Partial<ClusteredCacheInput['spec']> = {}): ClusteredCacheInput => ({
  apiVersion: 'cache.my.domain/v1',
  kind: 'ClusteredCache',
  metadata: { name: 'sessions', namespace: 'shop' },
  spec: { replicas: 3, image: 'cache:1', port: 6379, ...spec },
});

/** A store of three members in the namespace `shop`. */
export const store = (spec: Partial<KVStoreClusterInput['spec']> = {}): KVStoreClusterInput => ({
  apiVersion: 'kvstore.example.com/v1',
  kind: 'KVStoreCluster',
  metadata: { name: 'carts', namespace: 'shop' },
  spec: { replicas: 3, image: 'kvstore', version: '1.0', storage: { className: 'standard', size: '1Gi' }, ...spec },
});

/** The caches of the namespace. */
export const caches = (cluster: SimulatedCluster) => cluster.client()(clusteredCaches).namespace('shop');
/** The stores of the namespace. */
export const stores = (cluster: SimulatedCluster) => cluster.client()(kvStoreClusters).namespace('shop');

/** The cache as it is now. */
export const cacheNow = (cluster: SimulatedCluster) => cluster.objects.find(clusteredCaches, 'shop', 'sessions');
/** The store as it is now. */
export const storeNow = (cluster: SimulatedCluster) => cluster.objects.find(kvStoreClusters, 'shop', 'carts');

interface Conditioned {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Whether a resource is ready. */
export const isReady = (resource: Conditioned | undefined): boolean =>
  resource?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

/** Lets time pass until it is true. Throws where that takes more than half an hour. */
export async function until(cluster: SimulatedCluster, what: string, isTrue: () => boolean): Promise<void> {
  await cluster.run({ until: isTrue, maxVirtualMs: 1_800_000 });
  if (!isTrue()) throw new Error(`this did not come about: ${what}`);
}

/** Creates a cache that gets ready. */
export async function readyCache(
  cluster: SimulatedCluster,
  spec: Partial<ClusteredCacheInput['spec']> = {},
): Promise<void> {
  await caches(cluster).create(cache(spec));
  await until(cluster, 'the cache is ready', () => isReady(cacheNow(cluster)));
}

/** Creates a store that gets ready. */
export async function readyStore(
  cluster: SimulatedCluster,
  spec: Partial<KVStoreClusterInput['spec']> = {},
): Promise<void> {
  await stores(cluster).create(store(spec));
  await until(cluster, 'the store is ready', () => isReady(storeNow(cluster)));
}

/** Changes the cache's spec. */
export const changeCache = (cluster: SimulatedCluster, spec: object) =>
  caches(cluster).patch('sessions', { type: 'merge', body: { spec } });
/** Changes the store's spec. */
export const changeStore = (cluster: SimulatedCluster, spec: object) =>
  stores(cluster).patch('carts', { type: 'merge', body: { spec } });

/** A set of three members in the namespace `shop`, with a monitor that wants a token. */
export const set = (image = 'cache:1'): MonitoredStatefulSetInput => ({
  apiVersion: 'statefulsets.example.com/v1alpha1',
  kind: 'MonitoredStatefulSet',
  metadata: { name: 'ledger', namespace: 'shop' },
  spec: {
    monitorEndpoint: 'https://monitor.example',
    credentialsSecretRef: { name: 'monitor' },
    statefulSetSpec: {
      ...{ replicas: 3, serviceName: 'ledger', selector: { matchLabels: { app: 'ledger' } } },
      template: { metadata: { labels: { app: 'ledger' } }, spec: { containers: [{ name: 'app', image }] } },
    },
  },
});

/** The set as it is now. */
export const setNow = (cluster: SimulatedCluster) => cluster.objects.find(monitoredStatefulSets, 'shop', 'ledger');

/** The Secret that the set's monitor is reached with. */
export async function plantToken(cluster: SimulatedCluster): Promise<void> {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'monitor' },
    stringData: { token: 'planted' },
  } as const;
  await cluster.client()(secrets).namespace('shop').create(secret);
}

/** Creates a set that is registered and gets ready. */
export async function readySet(cluster: SimulatedCluster): Promise<void> {
  await plantToken(cluster);
  await cluster.client()(monitoredStatefulSets).namespace('shop').create(set());
  await until(cluster, 'the set is registered', () => setNow(cluster)?.status?.externalMonitorID !== undefined);
  await until(cluster, 'the set is ready', () => isReady(setNow(cluster)));
}
