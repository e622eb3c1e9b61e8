import { admissionKinds, operatorName, webhookCertificateName, webhookConfigurationName } from '@ordinal/constructs';
import type { Permissions, PolicyRule } from '@ordinal/constructs';
import type { ControllerDefinition } from '@ordinal/runtime';
import { grantsOf, rulesFrom } from './derive.ts';

/**
 * What an installed operator may do: what its controllers declare, and what the program itself does beside them. No rule here or there has a wildcard.
 */
export function permissionsOf(definitions: readonly ControllerDefinition[]): Permissions {
  const grants = definitions.flatMap(grantsOf);
  return {
    watched: [
      ...rulesFrom(grants.filter(({ scope }) => scope === 'Namespaced')),
      // Events are told of every object that is kept, in its namespace.
      { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
    ],
    cluster: [...rulesFrom(grants.filter(({ scope }) => scope === 'Cluster')), ...programInCluster(definitions)],
    own: programInItsNamespace,
  };
}

/** What the program looks at when it starts, and what its webhooks need. */
function programInCluster(definitions: readonly ControllerDefinition[]): readonly PolicyRule[] {
  const ours = new Set(admissionKinds.map(({ group }) => group));
  const kinds = definitions.map(({ primary }) => primary).filter(({ group }) => ours.has(group));
  return [
    {
      apiGroups: ['apiextensions.k8s.io'],
      resources: ['customresourcedefinitions'],
      verbs: ['get'],
      resourceNames: [...new Set(kinds.map(({ plural, group }) => `${plural}.${group}`))].sort(),
    },
    {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: ['validatingwebhookconfigurations'],
      verbs: ['get', 'patch'],
      resourceNames: [webhookConfigurationName],
    },
    // May the author of a resource create what the operator would create for it?
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  ];
}

/** Its lease, and the certificate of its webhooks. Nothing can be created by name only: RBAC does not know the name yet. */
const programInItsNamespace: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['get', 'update'],
    resourceNames: [operatorName],
  },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'update'], resourceNames: [webhookCertificateName] },
];
