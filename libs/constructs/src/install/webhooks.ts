import { cloudDatabases, clusteredCaches, kvStoreClusters, monitoredStatefulSets } from '@ordinal/api';
import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { operatorName } from './options.ts';

/** A kind that the operator validates. */
export interface ValidatedKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** The kinds, and where the operator is. */
export interface WebhookOptions {
  readonly namespace: string;
  readonly kinds: readonly ValidatedKind[];
}

/** The name of the webhook configuration, in which the operator keeps its own certificate authority up to date. */
export const webhookConfigurationName = operatorName;

/** The Secret in the operator's namespace that holds the webhooks' certificate. */
export const webhookCertificateName = `${operatorName}-webhooks`;

/** The Service in front of the webhooks. */
export const webhookServiceName = `${operatorName}-webhooks`;

/** The kinds that the operator judges before they are stored. */
export const admissionKinds: readonly ValidatedKind[] = [
  clusteredCaches,
  kvStoreClusters,
  monitoredStatefulSets,
  cloudDatabases,
].map(({ group, version, plural }) => ({ group, version, plural }));

/** Where the program answers. */
export const webhookPaths = { validate: '/validate', disruption: '/disruption' } as const;

/**
 * Registers the operator's webhooks.
 *
 * Our kinds: refused while the operator does not answer, except where the spec is unchanged, so that finalizers can always be removed and a
 * namespace can always end. Pods: a deletion or an eviction is held back with 429 while a gate is closed, and let through while the operator does
 * not answer, since nobody's pods may depend on it.
 */
export function registerWebhooks(scope: Construct, options: WebhookOptions): void {
  const clientConfig = (path: string) => ({
    service: { namespace: options.namespace, name: webhookServiceName, port: 443, path },
  });
  const common = { admissionReviewVersions: ['v1'], sideEffects: 'None', matchPolicy: 'Equivalent' };
  new ApiObject(scope, 'validating-webhooks', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: webhookConfigurationName },
    webhooks: [
      {
        ...common,
        name: 'validate.ordinal.dev',
        clientConfig: clientConfig(webhookPaths.validate),
        failurePolicy: 'Fail',
        timeoutSeconds: 10,
        rules: options.kinds.map(({ group, version, plural }) => ({
          apiGroups: [group],
          apiVersions: [version],
          resources: [plural],
          operations: ['CREATE', 'UPDATE'],
          scope: 'Namespaced',
        })),
        matchConditions: [
          { name: 'the-spec-changes', expression: 'oldObject == null || object.spec != oldObject.spec' },
          { name: 'it-is-not-being-deleted', expression: '!has(object.metadata.deletionTimestamp)' },
        ],
      },
      {
        ...common,
        name: 'pods.ordinal.dev',
        // It notes on the ClusteredCache which member it let go, and makes the Jobs of gates.
        sideEffects: 'NoneOnDryRun',
        clientConfig: clientConfig(webhookPaths.disruption),
        failurePolicy: 'Ignore',
        timeoutSeconds: 5,
        rules: [
          { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['DELETE'], scope: 'Namespaced' },
        ],
        objectSelector: { matchLabels: { 'app.kubernetes.io/name': 'clustered-cache' } },
        matchConditions: [
          // The operator deletes pods when its own gates are open; asking it again would only be a way to fail.
          {
            name: 'not-the-operator',
            expression: `request.userInfo.username != 'system:serviceaccount:${options.namespace}:${operatorName}'`,
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
      },
      {
        ...common,
        name: 'evictions.ordinal.dev',
        sideEffects: 'NoneOnDryRun',
        clientConfig: clientConfig(webhookPaths.disruption),
        failurePolicy: 'Ignore',
        timeoutSeconds: 5,
        // An eviction carries no labels of its pod, so every eviction is asked about; the answer comes from the cache.
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
    ],
  });
}
