import { operatorName, sealSecretName, webhookNames } from '@ordinal/constructs';
import type { Permissions, PolicyRule } from '@ordinal/constructs';
import type { ControllerDefinition } from '@ordinal/runtime';
import { isOurs } from '../reserved.ts';
import { grantsOf, rulesFrom } from './derive.ts';

/** What the program needs for itself, beside what its controllers declare. */
export interface ProgramNeeds {
  /** What the installation is called. */
  readonly name: string;
  readonly servesWebhooks: boolean;
  /** None where it works without a lease. */
  readonly leaseNames: readonly string[];
}

/** What the program of a default installation needs. */
const byDefault: ProgramNeeds = { name: operatorName, servesWebhooks: true, leaseNames: [operatorName] };

/**
 * What an installed operator may do: what its controllers declare, and what the program itself does beside them. No rule here or there has a wildcard.
 */
export function permissionsOf(
  definitions: readonly ControllerDefinition[],
  needs: ProgramNeeds = byDefault,
): Permissions {
  const grants = definitions.flatMap(grantsOf);
  return {
    watched: [
      ...rulesFrom(grants.filter(({ scope }) => scope === 'Namespaced')),
      // Events are written about every object that is kept, in its namespace.
      { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
    ],
    cluster: [...rulesFrom(grants.filter(({ scope }) => scope === 'Cluster')), ...programInCluster(definitions, needs)],
    own: programInItsNamespace(needs),
  };
}

/** What the program looks at when it starts, and what its webhooks need. */
function programInCluster(
  definitions: readonly ControllerDefinition[],
  { name, servesWebhooks }: ProgramNeeds,
): readonly PolicyRule[] {
  const ours = definitions.map(({ primary }) => primary).filter(isOurs);
  const forWebhooks = [
    {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: ['validatingwebhookconfigurations'],
      verbs: ['get', 'patch'],
      resourceNames: [webhookNames(name).configuration],
    },
    // May the author of a resource create what the operator would create for it?
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  ];
  return [
    {
      apiGroups: ['apiextensions.k8s.io'],
      resources: ['customresourcedefinitions'],
      verbs: ['get'],
      resourceNames: [...new Set(ours.map(({ plural, group }) => `${plural}.${group}`))].sort(),
    },
    ...(servesWebhooks ? forWebhooks : []),
  ];
}

/** Its leases, the keys of its seals, and the certificate of its webhooks. Nothing can be created by name only: RBAC does not know the name yet. */
function programInItsNamespace({ name, servesWebhooks, leaseNames }: ProgramNeeds): readonly PolicyRule[] {
  const coordination = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  const secrets = { apiGroups: [''], resources: ['secrets'] };
  const lease =
    leaseNames.length === 0
      ? []
      : [
          { ...coordination, verbs: ['create'] },
          { ...coordination, verbs: ['get', 'update'], resourceNames: leaseNames },
        ];
  const kept = [
    { ...secrets, verbs: ['create'] },
    { ...secrets, verbs: ['get'], resourceNames: [sealSecretName(name)] },
  ];
  const certificate = [{ ...secrets, verbs: ['get', 'update'], resourceNames: [webhookNames(name).certificate] }];
  return [...lease, ...kept, ...(servesWebhooks ? certificate : [])];
}
