import type * as published from 'kubernetes-types/apps/v1.js';
import type { BuiltIn } from './form.ts';
import { workloadScale } from './form.ts';
import type { ReadForm, WriteForm } from '../descriptor.ts';

/** Descriptor of `StatefulSet`. */
export const statefulSets: BuiltIn<published.StatefulSet, 'spec'> = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  singular: 'statefulset',
  scope: 'Namespaced',
  shortNames: ['sts'],
  subresources: { status: true, scale: workloadScale },
};
/** A stateful set, as the server returns it. */
export type StatefulSet = ReadForm<typeof statefulSets>;
/** A stateful set, as it is written. */
export type StatefulSetInput = WriteForm<typeof statefulSets>;

/** Descriptor of `Deployment`. */
export const deployments: BuiltIn<published.Deployment, 'spec'> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  singular: 'deployment',
  scope: 'Namespaced',
  shortNames: ['deploy'],
  subresources: { status: true, scale: workloadScale },
};
/** A deployment, as the server returns it. */
export type Deployment = ReadForm<typeof deployments>;
/** A deployment, as it is written. */
export type DeploymentInput = WriteForm<typeof deployments>;

/** Descriptor of `ReplicaSet`. */
export const replicaSets: BuiltIn<published.ReplicaSet, 'spec'> = {
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  singular: 'replicaset',
  scope: 'Namespaced',
  shortNames: ['rs'],
  subresources: { status: true, scale: workloadScale },
};
/** A replica set, as the server returns it. */
export type ReplicaSet = ReadForm<typeof replicaSets>;
/** A replica set, as it is written. */
export type ReplicaSetInput = WriteForm<typeof replicaSets>;

/** Descriptor of `DaemonSet`. */
export const daemonSets: BuiltIn<published.DaemonSet, 'spec'> = {
  group: 'apps',
  version: 'v1',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  singular: 'daemonset',
  scope: 'Namespaced',
  shortNames: ['ds'],
  subresources: { status: true },
};
/** A daemon set, as the server returns it. */
export type DaemonSet = ReadForm<typeof daemonSets>;
/** A daemon set, as it is written. */
export type DaemonSetInput = WriteForm<typeof daemonSets>;

/** Descriptor of `ControllerRevision`. */
export const controllerRevisions: BuiltIn<published.ControllerRevision> = {
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  singular: 'controllerrevision',
  scope: 'Namespaced',
};
/** A revision of a workload's template, as the server returns it. */
export type ControllerRevision = ReadForm<typeof controllerRevisions>;
/** A revision of a workload's template, as it is written. */
export type ControllerRevisionInput = WriteForm<typeof controllerRevisions>;
