import { clusteredCaches, kvStoreClusters, monitoredStatefulSets } from '@ordinal/api';
import { noCleanupMetrics } from '@ordinal/lifecycle';
import { monitoredStatefulSetControllers } from '../../../libs/reconcilers/src/monitored-stateful-set/index.ts';
import type { MonitorRequest, MonitorView } from '../../../libs/reconcilers/src/monitored-stateful-set/index.ts';
import { cacheCluster, cacheOperator } from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { definition } from '../../../libs/reconcilers/test/external/definition.ts';
import { fakeProviderSystem } from '../../../libs/reconcilers/test/external/fake-provider-system.ts';
import { FakeProvider } from '../../../libs/reconcilers/test/external/fake-provider.ts';
import { kvStoreCluster, kvStoreOperator } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { clientOf, managerOf, probesOf, seals, start } from '../../../libs/reconcilers/test/operator/parts.ts';
import { profiles } from '../external/history.ts';
import type { Taker } from './given-back.ts';
import { adopt, chartSpec, place } from './given-back.ts';

const cache: Taker = {
  name: 'ClusteredCache',
  cluster: cacheCluster,
  operator: cacheOperator(),
  descriptor: clusteredCaches,
  resource: {
    apiVersion: 'cache.my.domain/v1',
    kind: 'ClusteredCache',
    metadata: place,
    spec: { replicas: 3, image: 'chart:1', storage: { size: '1Gi' }, adopt },
  },
};

const store: Taker = {
  name: 'KVStoreCluster',
  cluster: kvStoreCluster,
  operator: kvStoreOperator,
  descriptor: kvStoreClusters,
  resource: {
    apiVersion: 'kvstore.example.com/v1',
    kind: 'KVStoreCluster',
    metadata: place,
    spec: { version: '1', image: 'chart', replicas: 3, storage: { className: 'chart', size: '1Gi' }, adopt },
  },
};

const monitor = 'http://monitor.example';

const monitored: Taker = {
  name: 'MonitoredStatefulSet',
  cluster: {
    crds: [definition('monitoredstatefulsets.statefulsets.example.com.yaml')],
    events: false,
    endpoints: false,
  },
  operator: async (environment) => {
    const client = clientOf(environment);
    const manager = managerOf(environment, client);
    const monitors = {
      at: (endpoint: string) => fakeProviderSystem<MonitorRequest, MonitorView>(endpoint, profiles.honest, environment),
    };
    const options = { monitors, seals, probes: probesOf(environment, client), metrics: noCleanupMetrics };
    for (const controller of monitoredStatefulSetControllers(options)) manager.add(controller);
    return start(manager);
  },
  setUp: (cluster) => {
    cluster.external(monitor, new FakeProvider(cluster.clock, profiles.honest).handle);
  },
  descriptor: monitoredStatefulSets,
  resource: {
    apiVersion: 'statefulsets.example.com/v1alpha1',
    kind: 'MonitoredStatefulSet',
    metadata: place,
    spec: { monitorEndpoint: monitor, adopt: { statefulSet: place.name }, statefulSetSpec: chartSpec },
  },
};

/** Each kind that takes over a StatefulSet. */
export const takers: readonly Taker[] = [cache, store, monitored];
