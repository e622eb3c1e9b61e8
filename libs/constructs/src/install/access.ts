import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { operatorName, type Permissions, type PolicyRule } from './options.ts';

const rbac = 'rbac.authorization.k8s.io';

/** Who the operator is and where it works. */
export interface AccessOptions {
  readonly namespace: string;
  /** Empty: all namespaces. */
  readonly watchNamespaces: readonly string[];
  readonly permissions: Permissions;
  readonly leaseName: string;
}

/**
 * The operator's service account and what it may do: a ClusterRole where it watches everything, Roles in the watched namespaces where they are named;
 * for cluster-scoped kinds always a ClusterRole; a Role for what it keeps in its own namespace.
 */
export function grantAccess(scope: Construct, options: AccessOptions): void {
  const { namespace, permissions } = options;
  new ApiObject(scope, 'service-account', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: operatorName, namespace },
    automountServiceAccountToken: false,
  });
  const everywhere = options.watchNamespaces.length === 0 ? permissions.watched : [];
  grantInCluster(scope, namespace, [...everywhere, ...permissions.cluster]);
  const own = permissions.own.map((rule) => forLease(rule, options.leaseName));
  grantInNamespace(scope, { name: `${operatorName}-own`, account: namespace, namespace }, own);
  for (const watched of options.watchNamespaces) {
    grantInNamespace(scope, { name: operatorName, account: namespace, namespace: watched }, permissions.watched);
  }
}

function grantInCluster(scope: Construct, account: string, rules: readonly PolicyRule[]): void {
  if (rules.length === 0) return;
  new ApiObject(scope, 'cluster-role', {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name: operatorName },
    rules,
  });
  new ApiObject(scope, 'cluster-role-binding', {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: operatorName },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: operatorName },
    subjects: [subject(account)],
  });
}

function grantInNamespace(
  scope: Construct,
  place: { readonly name: string; readonly account: string; readonly namespace: string },
  rules: readonly PolicyRule[],
): void {
  const { name, account, namespace } = place;
  new ApiObject(scope, `role-${name}-${namespace}`, {
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    metadata: { name, namespace },
    rules,
  });
  new ApiObject(scope, `role-binding-${name}-${namespace}`, {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: { name, namespace },
    roleRef: { apiGroup: rbac, kind: 'Role', name },
    subjects: [subject(account)],
  });
}

const subject = (namespace: string) => ({ kind: 'ServiceAccount', name: operatorName, namespace });

/** The rule, for the lease of this name where it is about leases by name. */
const forLease = (rule: PolicyRule, leaseName: string): PolicyRule =>
  rule.resources.includes('leases') && rule.resourceNames !== undefined
    ? { ...rule, resourceNames: [leaseName] }
    : rule;
