import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { operatorName, type Installation, type Permissions, type PolicyRule } from './options.ts';

const rbac = 'rbac.authorization.k8s.io';

/** Who the operator is and where it works. */
export interface AccessOptions extends Installation {
  /** Empty: all namespaces. */
  readonly watchNamespaces: readonly string[];
  /** With the names of the installation, see {@link namedIn}. */
  readonly permissions: Permissions;
}

/**
 * The operator's service account and what it may do: a ClusterRole where it watches everything, Roles in the watched namespaces where they are named;
 * for cluster-scoped kinds always a ClusterRole; a Role for what it keeps in its own namespace.
 */
export function grantAccess(scope: Construct, options: AccessOptions): void {
  const { name, namespace, permissions } = options;
  new ApiObject(scope, 'service-account', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace },
    automountServiceAccountToken: false,
  });
  const everywhere = options.watchNamespaces.length === 0 ? permissions.watched : [];
  grantInCluster(scope, options, [...everywhere, ...permissions.cluster]);
  grantInNamespace(scope, { name: `${name}-own`, account: options, namespace }, permissions.own);
  for (const watched of options.watchNamespaces) {
    grantInNamespace(scope, { name, account: options, namespace: watched }, permissions.watched);
  }
}

function grantInCluster(scope: Construct, account: Installation, rules: readonly PolicyRule[]): void {
  const { name } = account;
  if (rules.length === 0) return;
  new ApiObject(scope, 'cluster-role', {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name },
    rules,
  });
  new ApiObject(scope, 'cluster-role-binding', {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
    subjects: [subject(account)],
  });
}

function grantInNamespace(
  scope: Construct,
  place: { readonly name: string; readonly account: Installation; readonly namespace: string },
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

const subject = ({ name, namespace }: Installation) => ({ kind: 'ServiceAccount', name, namespace });

/** An installation, and its leases. */
export interface NamedInstallation extends Installation {
  readonly leaseNames: readonly string[];
}

/** How many slots the replicas share the work in, where they do. */
export const workSlots = 16;

/** The leases of an installation: the leader's or, where the replicas share the work, the one that they hold together and those of the slots. */
export function leaseNamesOf(leaseName: string, shareWork: boolean): readonly string[] {
  const slots = Array.from({ length: shareWork ? workSlots : 0 }, (_, slot) => `${leaseName}-slot-${slot}`);
  return [leaseName, ...slots];
}

/** The permissions, where they are about objects of the installation by their names, with the names of this one. */
export function namedIn(installation: NamedInstallation, { watched, cluster, own }: Permissions): Permissions {
  const named = (rules: readonly PolicyRule[]) => rules.map((rule) => inNameOf(installation, rule));
  return { watched, cluster: named(cluster), own: named(own) };
}

function inNameOf({ name, leaseNames }: NamedInstallation, rule: PolicyRule): PolicyRule {
  if (rule.resourceNames === undefined) return rule;
  if (rule.resources.includes('leases')) return { ...rule, resourceNames: leaseNames };
  const isOurs = (written: string): boolean => written === operatorName || written.startsWith(`${operatorName}-`);
  const resourceNames = rule.resourceNames.map((written) =>
    isOurs(written) ? name + written.slice(operatorName.length) : written,
  );
  return { ...rule, resourceNames };
}
