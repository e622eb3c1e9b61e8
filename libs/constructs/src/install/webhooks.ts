import { cloudDatabases, clusteredCaches, kvStoreClusters, monitoredStatefulSets } from '@ordinal/api';
import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { Installation } from './options.ts';

/** A kind that the operator validates. */
export interface ValidatedKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** The kinds, and where the operator is. */
export interface WebhookOptions extends Installation {
  readonly kinds: readonly ValidatedKind[];
  /** Empty: all namespaces. */
  readonly watchNamespaces: readonly string[];
  /** Where the operator keeps out. */
  readonly reserved: readonly string[];
}

/** What belongs to an installation's webhooks, by name. */
export interface WebhookNames {
  /** The webhook configuration, in which the operator keeps its own certificate authority up to date. */
  readonly configuration: string;
  /** The Secret in the operator's namespace that holds the webhooks' certificate. */
  readonly certificate: string;
  /** The Service in front of the webhooks. */
  readonly service: string;
}

/** The names of what belongs to the webhooks of an installation. */
export function webhookNames(installation: string): WebhookNames {
  return { configuration: installation, certificate: `${installation}-webhooks`, service: `${installation}-webhooks` };
}

/** The Secret in the operator's namespace that holds the keys by which an installation knows what it has written. */
export function sealSecretName(installation: string): string {
  return `${installation}-seal`;
}

/** The user that an installation's operator is for the API server. */
export function operatorUser({ name, namespace }: Installation): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The kinds that the operator judges before they are stored. */
export const admissionKinds: readonly ValidatedKind[] = [
  clusteredCaches,
  kvStoreClusters,
  monitoredStatefulSets,
  cloudDatabases,
].map(({ group, version, plural }) => ({ group, version, plural }));

/** What the members of kinds that build their pods themselves bear. */
const ofOurKinds = { key: 'app.kubernetes.io/name', values: ['clustered-cache', 'kv-store-cluster'] } as const;

/** Where the program answers. */
export const webhookPaths = {
  validate: '/validate',
  disruption: '/disruption',
  namespaces: '/namespaces',
} as const;

/** How long the API server waits for each, in seconds. */
export const webhookTimeouts = { validate: 10, disruption: 5, namespaces: 5 } as const;

/**
 * Registers the operator's webhooks.
 *
 * Our kinds: refused while the operator does not answer, except where the spec is unchanged, so that finalizers can always be removed and a
 * namespace can always end. Pods: a deletion or an eviction is held back with 429 while a gate is closed, and let through while the operator does
 * not answer, since no pod may depend on it. Namespaces: a deletion is refused while a final backup in it is required and not made, and let through while the
 * operator does not answer.
 *
 * Of several installations each registers its own, and the API server asks all whose namespaces match: a pod goes when none of them holds it back, and only the
 * one that keeps its cache does. Shards are not distinguished here on purpose: a spec that was not judged, because its labels were in no shard then, would be
 * taken up as soon as its labels change.
 */
export function registerWebhooks(scope: Construct, options: WebhookOptions): void {
  const names = webhookNames(options.name);
  const clientConfig = (path: string) => ({
    service: { namespace: options.namespace, name: names.service, port: 443, path },
  });
  const common = {
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    matchPolicy: 'Equivalent',
  };
  // Specs are judged in reserved namespaces too: they are refused there.
  const judged = selected('In', options.watchNamespaces);
  // No pods there may depend on an operator that keeps out.
  const heldBack = options.watchNamespaces.length > 0 ? judged : selected('NotIn', options.reserved);
  new ApiObject(scope, 'validating-webhooks', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: names.configuration },
    webhooks: [
      {
        ...common,
        ...judged,
        name: 'validate.ordinal.dev',
        clientConfig: clientConfig(webhookPaths.validate),
        failurePolicy: 'Fail',
        timeoutSeconds: webhookTimeouts.validate,
        rules: options.kinds.map(({ group, version, plural }) => ({
          apiGroups: [group],
          apiVersions: [version],
          resources: [plural],
          operations: ['CREATE', 'UPDATE'],
          scope: 'Namespaced',
        })),
        // Of one that is being deleted too: the operator makes Jobs for it until the end, and its spec can still change.
        matchConditions: [
          { name: 'the-spec-changes', expression: 'oldObject == null || object.spec != oldObject.spec' },
        ],
      },
      ...[
        { name: 'pods.ordinal.dev', matchExpressions: [{ ...ofOurKinds, operator: 'In' }] },
        // The labels of a MonitoredStatefulSet's pods are the user's: the operator knows by their names whose they are.
        {
          name: 'set-pods.ordinal.dev',
          matchExpressions: [
            { key: 'statefulset.kubernetes.io/pod-name', operator: 'Exists' },
            { ...ofOurKinds, operator: 'NotIn' },
          ],
        },
      ].map(({ name, matchExpressions }) => ({
        ...common,
        ...heldBack,
        name,
        // It notes on the owner which member it allowed to be deleted, and makes the Jobs of gates.
        sideEffects: 'NoneOnDryRun',
        clientConfig: clientConfig(webhookPaths.disruption),
        failurePolicy: 'Ignore',
        timeoutSeconds: webhookTimeouts.disruption,
        rules: [
          { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['DELETE'], scope: 'Namespaced' },
        ],
        objectSelector: { matchExpressions },
        matchConditions: [
          // The operator deletes pods when its own gates are open; asking it again would only be a way to fail.
          {
            name: 'not-the-operator',
            expression: `request.userInfo.username != '${operatorUser(options)}'`,
          },
          {
            name: 'not-the-garbage-collector',
            expression: "request.userInfo.username != 'system:serviceaccount:kube-system:generic-garbage-collector'",
          },
          {
            name: 'not-the-namespace-controller',
            expression: "request.userInfo.username != 'system:serviceaccount:kube-system:namespace-controller'",
          },
        ],
      })),
      {
        ...common,
        ...heldBack,
        name: 'evictions.ordinal.dev',
        sideEffects: 'NoneOnDryRun',
        clientConfig: clientConfig(webhookPaths.disruption),
        failurePolicy: 'Ignore',
        timeoutSeconds: webhookTimeouts.disruption,
        // An eviction carries no labels of its pod, so every eviction is asked about, and the operator reads the pod.
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            resources: ['pods/eviction'],
            operations: ['CREATE'],
            scope: 'Namespaced',
          },
        ],
      },
      {
        ...common,
        ...heldBack,
        name: 'namespaces.ordinal.dev',
        clientConfig: clientConfig(webhookPaths.namespaces),
        // No namespace stays because the operator is down.
        failurePolicy: 'Ignore',
        timeoutSeconds: webhookTimeouts.namespaces,
        rules: [
          { apiGroups: [''], apiVersions: ['v1'], resources: ['namespaces'], operations: ['DELETE'], scope: 'Cluster' },
        ],
        // One that is being deleted can't be kept any more.
        matchConditions: [
          {
            name: 'not-being-deleted-yet',
            expression: 'oldObject == null || !has(oldObject.metadata.deletionTimestamp)',
          },
        ],
      },
    ],
  });
}

/** Other namespaces do not depend on an operator that does not watch them. */
function selected(operator: 'In' | 'NotIn', namespaces: readonly string[]): object {
  if (namespaces.length === 0) return {};
  const values = [...namespaces];
  return { namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator, values }] } };
}
