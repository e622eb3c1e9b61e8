export { withoutDefaults } from './adoption/surplus.ts';
export { adoptAnnotation, jobMarks, reservationAnnotation, rotateAnnotation } from './annotations.ts';
export {
  administrator,
  cloudDatabaseControllers,
  connectionSecretName,
  heldIn,
  passwordDigest,
  rotationOnSchedule,
} from './cloud-database/index.ts';
export type {
  CloudDatabaseOptions,
  DatabaseAccount,
  DatabaseProviders,
  DatabaseRequest,
  DatabaseSystem,
  DatabaseView,
  LoginView,
} from './cloud-database/index.ts';
export { clusteredCacheController, decideClusteredCache, observe } from './clustered-cache/index.ts';
export type {
  CacheObservation,
  CacheSources,
  CacheVerdict,
  ClusteredCacheOptions,
  Inputs,
} from './clustered-cache/index.ts';
export type { Gate, GateEnvironment, GateName, Kind, KindEnvironment, KindMetrics, KindWebhook } from './kind.ts';
export { kinds } from './kinds.ts';
export { kvStoreClusterController } from './kv-store-cluster/index.ts';
export type { KVStoreClusterOptions } from './kv-store-cluster/index.ts';
export * from './recording/index.ts';
export { monitoredStatefulSetControllers } from './monitored-stateful-set/index.ts';
export type {
  MonitorRequest,
  MonitorSystem,
  MonitorView,
  MonitoredStatefulSetOptions,
  Monitors,
} from './monitored-stateful-set/index.ts';
