export {
  cloudDatabaseControllers,
  cloudDatabaseGauges,
  cloudDatabaseMetrics,
  admitCloudDatabase,
} from './cloud-database/index.ts';
export type {
  CloudDatabaseOptions,
  DatabaseAccount,
  DatabaseProviders,
  DatabaseRequest,
  DatabaseSystem,
  DatabaseView,
} from './cloud-database/index.ts';
export {
  DisruptionGate,
  ObservedReservations,
  admitClusteredCache,
  clusteredCacheController,
  clusteredCacheGauges,
  clusteredCacheMetrics,
  decideClusteredCache,
  observe,
} from './clustered-cache/index.ts';
export type {
  CacheObservation,
  CacheSources,
  CacheVerdict,
  ClusteredCacheOptions,
  DisruptionGateOptions,
  Inputs,
} from './clustered-cache/index.ts';
export {
  NamespaceGate,
  kvStoreClusterController,
  kvStoreClusterGauges,
  kvStoreClusterMetrics,
  admitKVStoreCluster,
} from './kv-store-cluster/index.ts';
export type { KVStoreClusterOptions } from './kv-store-cluster/index.ts';
export {
  admitMonitoredStatefulSet,
  monitoredStatefulSetControllers,
  monitoredStatefulSetGauges,
  monitoredStatefulSetMetrics,
} from './monitored-stateful-set/index.ts';
export type {
  MonitorRequest,
  MonitorSystem,
  MonitorView,
  MonitoredStatefulSetOptions,
  Monitors,
} from './monitored-stateful-set/index.ts';
