import type * as published from 'kubernetes-types/core/v1.js';
import type { BuiltIn } from './form.ts';
import type { ReadForm, WriteForm } from '../descriptor.ts';

/** Descriptor of `Pod`. */
export const pods: BuiltIn<published.Pod, 'spec'> = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  singular: 'pod',
  scope: 'Namespaced',
  shortNames: ['po'],
  subresources: { status: true },
};
/** A pod, as the server returns it. */
export type Pod = ReadForm<typeof pods>;
/** A pod, as it is written. */
export type PodInput = WriteForm<typeof pods>;

/** Descriptor of `Service`. */
export const services: BuiltIn<published.Service, 'spec'> = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  singular: 'service',
  scope: 'Namespaced',
  shortNames: ['svc'],
  subresources: { status: true },
};
/** A service, as the server returns it. */
export type Service = ReadForm<typeof services>;
/** A service, as it is written. */
export type ServiceInput = WriteForm<typeof services>;

/** Descriptor of `PersistentVolumeClaim`. */
export const persistentVolumeClaims: BuiltIn<published.PersistentVolumeClaim, 'spec'> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  singular: 'persistentvolumeclaim',
  scope: 'Namespaced',
  shortNames: ['pvc'],
  subresources: { status: true },
};
/** A claim to a volume, as the server returns it. */
export type PersistentVolumeClaim = ReadForm<typeof persistentVolumeClaims>;
/** A claim to a volume, as it is written. */
export type PersistentVolumeClaimInput = WriteForm<typeof persistentVolumeClaims>;

/** Descriptor of `PersistentVolume`. */
export const persistentVolumes: BuiltIn<published.PersistentVolume, 'spec'> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  singular: 'persistentvolume',
  scope: 'Cluster',
  shortNames: ['pv'],
  subresources: { status: true },
};
/** A volume, as the server returns it. */
export type PersistentVolume = ReadForm<typeof persistentVolumes>;
/** A volume, as it is written. */
export type PersistentVolumeInput = WriteForm<typeof persistentVolumes>;

/** Descriptor of `Secret`. */
export const secrets: BuiltIn<published.Secret> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  singular: 'secret',
  scope: 'Namespaced',
};
/** A secret, as the server returns it. */
export type Secret = ReadForm<typeof secrets>;
/** A secret, as it is written. */
export type SecretInput = WriteForm<typeof secrets>;

/** Descriptor of `ConfigMap`. */
export const configMaps: BuiltIn<published.ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  singular: 'configmap',
  scope: 'Namespaced',
  shortNames: ['cm'],
};
/** A config map, as the server returns it. */
export type ConfigMap = ReadForm<typeof configMaps>;
/** A config map, as it is written. */
export type ConfigMapInput = WriteForm<typeof configMaps>;

/** Descriptor of `Namespace`. */
export const namespaces: BuiltIn<published.Namespace> = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  singular: 'namespace',
  scope: 'Cluster',
  shortNames: ['ns'],
  subresources: { status: true },
};
/** A namespace, as the server returns it. */
export type Namespace = ReadForm<typeof namespaces>;
/** A namespace, as it is written. */
export type NamespaceInput = WriteForm<typeof namespaces>;

/** Descriptor of `Node`. */
export const nodes: BuiltIn<published.Node> = {
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  singular: 'node',
  scope: 'Cluster',
  shortNames: ['no'],
  subresources: { status: true },
};
/** A node, as the server returns it. */
export type Node = ReadForm<typeof nodes>;
/** A node, as it is written. */
export type NodeInput = WriteForm<typeof nodes>;

/** Descriptor of `ServiceAccount`. */
export const serviceAccounts: BuiltIn<published.ServiceAccount> = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  singular: 'serviceaccount',
  scope: 'Namespaced',
  shortNames: ['sa'],
};
/** A service account, as the server returns it. */
export type ServiceAccount = ReadForm<typeof serviceAccounts>;
/** A service account, as it is written. */
export type ServiceAccountInput = WriteForm<typeof serviceAccounts>;
