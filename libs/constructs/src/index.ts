export { connectionKeys, connectionSecret } from './cloud-database/index.ts';
export type { Connection, ConnectionSecretOptions } from './cloud-database/index.ts';
export {
  ClusteredCacheWorkload,
  cacheChild,
  cacheClaim,
  cacheContainer,
  cacheJob,
  cachePodTemplate,
  cacheSelector,
  synthesizeClusteredCache,
  takenOverByLabel,
} from './clustered-cache/index.ts';
export type { CacheNamed, CacheToBuild, ClusteredCacheWorkloadProps, StatefulSetNow } from './clustered-cache/index.ts';
export {
  OperatorInstall,
  admissionKinds,
  alertGroup,
  alerts,
  leaseNamesOf,
  operatorName,
  operatorPermissions,
  operatorUser,
  podRules,
  reservedNamespaces,
  sealSecretName,
  systemNamespaces,
  valuesSchema,
  webhookNames,
  webhookPaths,
  webhookTimeouts,
  workSlots,
} from './install/index.ts';
export type {
  Installation,
  OperatorInstallOptions,
  Permissions,
  PodRule,
  PodSecurityLevel,
  PolicyRule,
  Reservation,
  ValidatedKind,
  ValueSchema,
  WebhookNames,
} from './install/index.ts';
export {
  KVStoreClusterWorkload,
  drillOfLabel,
  kvStoreChild,
  kvStoreClaim,
  kvStoreClaimTemplate,
  kvStoreContainer,
  kvStoreImage,
  kvStoreJob,
  kvStorePodTemplate,
  kvStoreScratch,
  kvStoreSelector,
  kvStoreVolume,
  outlivingLabels,
  scratchName,
  sealAnnotation,
  storeTakenOverByLabel,
  synthesizeKVStoreCluster,
  takenOverLabels,
  taskName,
  tasksOf,
} from './kv-store-cluster/index.ts';
export type {
  KVStoreClusterWorkloadProps,
  KVStoreNamed,
  KVStoreNow,
  KVStoreToBuild,
  Purpose,
  ScratchToBuild,
  TaskToBuild,
} from './kv-store-cluster/index.ts';
export {
  cleanupForLabel,
  cleanupJob,
  monitoredSetChild,
  monitoredSetJob,
  monitoredStatefulSet,
} from './monitored-stateful-set/index.ts';
export type { CleanupSubject, MonitoredSetToBuild } from './monitored-stateful-set/index.ts';
export {
  childLabels,
  childMetadata,
  durationFault,
  durationOf,
  hashIn,
  hashOf,
  milliseconds,
  ownerUidLabel,
  purposeLabel,
  selectorText,
  subjectAnnotation,
  taskContainer,
  taskOfLabel,
  upgradeTasks,
  templateHashAnnotation,
  managedBy,
} from './workload/index.ts';
export type { ChildMetadata, Labelled, Owner, UpgradeTaskToBuild } from './workload/index.ts';
export * from './generated/cache.my.domain/v1/constructs.ts';
export * from './generated/cache.my.domain/definitions.ts';
export * from './generated/db.example.com/v1/constructs.ts';
export * from './generated/db.example.com/definitions.ts';
export * from './generated/kvstore.example.com/v1/constructs.ts';
export * from './generated/kvstore.example.com/definitions.ts';
export * from './generated/statefulsets.example.com/v1alpha1/constructs.ts';
export * from './generated/statefulsets.example.com/definitions.ts';
export { KubernetesConstruct } from './generated/kubernetes-construct.ts';
export type { Manifest, ManifestValidator } from './generated/kubernetes-construct.ts';
