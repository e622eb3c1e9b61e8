import type { KubernetesObject } from '@ordinal/client';
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { CronJob, Job } from 'kubernetes-types/batch/v1.js';
import type { Lease } from 'kubernetes-types/coordination/v1.js';
import type {
  ConfigMap,
  Endpoints,
  Event,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from 'kubernetes-types/core/v1.js';
import type { EndpointSlice } from 'kubernetes-types/discovery/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import type { ClusterRole } from 'kubernetes-types/rbac/v1.js';
import type { StorageClass } from 'kubernetes-types/storage/v1.js';

/** A built-in object as it stands in the store: with its identity, and never to be changed in place. */
export type Live<T> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & KubernetesObject;

/** A built-in kind, as the controllers of the simulated world address it. The type parameter is the object's type. */
export interface Kind<T> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Never present. Carries the type. */
  readonly type?: T;
}

const namespaced = <T>(apiVersion: string, kind: string, plural: string): Kind<T> => ({
  apiVersion,
  kind,
  plural,
  namespaced: true,
});
const clusterWide = <T>(apiVersion: string, kind: string, plural: string): Kind<T> => ({
  apiVersion,
  kind,
  plural,
  namespaced: false,
});

/** Built-in kinds that the simulated world's controllers read and write. */
export const kinds = {
  clusterRole: clusterWide<ClusterRole>('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles'),
  configMap: namespaced<ConfigMap>('v1', 'ConfigMap', 'configmaps'),
  controllerRevision: namespaced<ControllerRevision>('apps/v1', 'ControllerRevision', 'controllerrevisions'),
  cronJob: namespaced<CronJob>('batch/v1', 'CronJob', 'cronjobs'),
  daemonSet: namespaced<DaemonSet>('apps/v1', 'DaemonSet', 'daemonsets'),
  deployment: namespaced<Deployment>('apps/v1', 'Deployment', 'deployments'),
  endpointSlice: namespaced<EndpointSlice>('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices'),
  endpoints: namespaced<Endpoints>('v1', 'Endpoints', 'endpoints'),
  event: namespaced<Event>('v1', 'Event', 'events'),
  job: namespaced<Job>('batch/v1', 'Job', 'jobs'),
  lease: namespaced<Lease>('coordination.k8s.io/v1', 'Lease', 'leases'),
  namespace: clusterWide<Namespace>('v1', 'Namespace', 'namespaces'),
  node: clusterWide<Node>('v1', 'Node', 'nodes'),
  persistentVolume: clusterWide<PersistentVolume>('v1', 'PersistentVolume', 'persistentvolumes'),
  persistentVolumeClaim: namespaced<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims'),
  pod: namespaced<Pod>('v1', 'Pod', 'pods'),
  podDisruptionBudget: namespaced<PodDisruptionBudget>('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets'),
  replicaSet: namespaced<ReplicaSet>('apps/v1', 'ReplicaSet', 'replicasets'),
  replicationController: namespaced<ReplicationController>('v1', 'ReplicationController', 'replicationcontrollers'),
  resourceQuota: namespaced<ResourceQuota>('v1', 'ResourceQuota', 'resourcequotas'),
  secret: namespaced<Secret>('v1', 'Secret', 'secrets'),
  service: namespaced<Service>('v1', 'Service', 'services'),
  serviceAccount: namespaced<ServiceAccount>('v1', 'ServiceAccount', 'serviceaccounts'),
  statefulSet: namespaced<StatefulSet>('apps/v1', 'StatefulSet', 'statefulsets'),
  storageClass: clusterWide<StorageClass>('storage.k8s.io/v1', 'StorageClass', 'storageclasses'),
} as const;

/** A built-in object from the store. */
export type LivePod = Live<Pod>;
/** A StatefulSet from the store. */
export type LiveStatefulSet = Live<StatefulSet>;
/** A claim from the store. */
export type LiveClaim = Live<PersistentVolumeClaim>;
