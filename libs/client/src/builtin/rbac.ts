import type * as published from 'kubernetes-types/rbac/v1.js';
import type { BuiltIn } from './form.ts';
import type { ReadForm, WriteForm } from '../descriptor.ts';

/** Descriptor of `Role`. */
export const roles: BuiltIn<published.Role> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'Role',
  plural: 'roles',
  singular: 'role',
  scope: 'Namespaced',
};
/** A role in a namespace, as the server returns it. */
export type Role = ReadForm<typeof roles>;
/** A role in a namespace, as it is written. */
export type RoleInput = WriteForm<typeof roles>;

/** Descriptor of `RoleBinding`. */
export const roleBindings: BuiltIn<published.RoleBinding> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  singular: 'rolebinding',
  scope: 'Namespaced',
};
/** A binding of a role in a namespace, as the server returns it. */
export type RoleBinding = ReadForm<typeof roleBindings>;
/** A binding of a role in a namespace, as it is written. */
export type RoleBindingInput = WriteForm<typeof roleBindings>;

/** Descriptor of `ClusterRole`. */
export const clusterRoles: BuiltIn<published.ClusterRole> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  singular: 'clusterrole',
  scope: 'Cluster',
};
/** A role in the whole cluster, as the server returns it. */
export type ClusterRole = ReadForm<typeof clusterRoles>;
/** A role in the whole cluster, as it is written. */
export type ClusterRoleInput = WriteForm<typeof clusterRoles>;

/** Descriptor of `ClusterRoleBinding`. */
export const clusterRoleBindings: BuiltIn<published.ClusterRoleBinding> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  singular: 'clusterrolebinding',
  scope: 'Cluster',
};
/** A binding of a role in the whole cluster, as the server returns it. */
export type ClusterRoleBinding = ReadForm<typeof clusterRoleBindings>;
/** A binding of a role in the whole cluster, as it is written. */
export type ClusterRoleBindingInput = WriteForm<typeof clusterRoleBindings>;
