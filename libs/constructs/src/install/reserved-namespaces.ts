import type { Construct } from 'constructs';
import { addPolicy, isUser } from './admission-policy.ts';
import type { Installation, PolicyRule } from './options.ts';
import { admissionKinds, operatorUser } from './webhooks.ts';

/** The namespaces of Kubernetes itself. Their service accounts are the cluster's own. */
export const systemNamespaces: readonly string[] = ['kube-node-lease', 'kube-public', 'kube-system'];

/** From what it follows where an operator keeps out. */
export interface Reservation {
  /** The operator's own namespace; empty where it has none. */
  readonly namespace: string;
  /** Empty: all namespaces. */
  readonly watchNamespaces: readonly string[];
  /** Those of Kubernetes itself by default. */
  readonly reservedNamespaces?: readonly string[];
}

/**
 * Where an operator keeps out: the namespaces of Kubernetes, or those given, and its own. One that it is configured by name to watch is none of them. Sorted.
 */
export function reservedNamespaces(of: Reservation): readonly string[] {
  const { namespace, watchNamespaces, reservedNamespaces: given = systemNamespaces } = of;
  const all = new Set([...given, ...(namespace === '' ? [] : [namespace])]);
  return [...all].filter((name) => !watchNamespaces.includes(name)).sort();
}

/** What the policy is made of. */
export interface ReservedOptions extends Installation {
  readonly reserved: readonly string[];
  /** What it may do in its own namespace: what rules name there, it keeps. */
  readonly own: readonly PolicyRule[];
}

/**
 * Refuses whatever the operator's account would write, delete or run in reserved namespaces, whatever its roles say: roles can't take a namespace out of what they
 * give for all. Left are what its role names in its own namespace, events, and the status and finalizers of our kinds. Reads are never asked about by admission.
 */
export function keepOut(scope: Construct, { reserved, own, ...installation }: ReservedOptions): void {
  if (reserved.length === 0) return;
  const allowed = [...kept(installation, own), writesEvents, writesStatus];
  addPolicy(scope, 'reserved-namespaces-policy', {
    name: `${installation.name}-reserved-namespaces`,
    matchConstraints: {
      namespaceSelector: {
        matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [...reserved] }],
      },
      resourceRules: [
        { apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'], scope: 'Namespaced' },
      ],
    },
    matchConditions: [isUser(operatorUser(installation))],
    validations: [
      {
        expression: allowed.map((rule) => `(${rule})`).join(' || '),
        message: 'the operator keeps out of this namespace, unless it is configured by name to watch it',
        reason: 'Forbidden',
      },
    ],
  });
}

const writes = "request.operation in ['CREATE', 'UPDATE']";
/** Where there is none, the request says nothing of it. */
const subresource = "request.?subResource.orValue('')";
const resource = (group: string, plural: string): string =>
  `request.resource.group == ${JSON.stringify(group)} && request.resource.resource == ${JSON.stringify(plural)}`;

/** Its lease and its Secrets, by the names that its role gives. A name that is made up by the API server is none of them. */
function kept({ namespace }: Installation, own: readonly PolicyRule[]): readonly string[] {
  return own.flatMap(({ apiGroups, resources, resourceNames }) =>
    resourceNames === undefined
      ? []
      : apiGroups.flatMap((group) =>
          resources.map(
            (plural) =>
              `request.namespace == '${namespace}' && ${subresource} == '' && ${writes} && ${resource(group, plural)} && has(object.metadata.name) && object.metadata.name in ${JSON.stringify(resourceNames)}`,
          ),
        ),
  );
}

const writesEvents = `${resource('events.k8s.io', 'events')} && ${writes}`;

/** That it keeps out is said in the status; a finalizer from before can go. The spec stays. */
const writesStatus = `request.resource.group in ${JSON.stringify(admissionKinds.map(({ group }) => group))} && request.operation == 'UPDATE' && ${subresource} in ['', 'status'] && object.spec == oldObject.spec`;
