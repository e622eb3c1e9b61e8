import { podDisruptionBudgets, services, statefulSets } from '@ordinal/client';
import type { PodDisruptionBudgetInput, ServiceInput, StatefulSetInput } from '@ordinal/client';
import { withController, withFields } from '@ordinal/runtime';
import { clusteredCaches } from './caches.ts';
import type { ClusteredCache } from './caches.ts';

/** The children as they are cached: with the fields that are compared, and no others. */
export const cachedServices = withFields(services, ['spec.clusterIP', 'spec.selector', 'spec.ports']);
/** PodDisruptionBudgets with the fields that the contender compares. */
export const cachedBudgets = withFields(podDisruptionBudgets, ['spec.maxUnavailable', 'spec.selector']);
/** StatefulSets with the fields that the contender compares. */
export const cachedSets = withFields(statefulSets, [
  'spec.replicas',
  'spec.serviceName',
  'spec.selector',
  'spec.template',
  'status.observedGeneration',
  'status.readyReplicas',
]);

/** The three children of a cache. */
export interface Children {
  readonly service: ServiceInput;
  readonly budget: PodDisruptionBudgetInput;
  readonly set: StatefulSetInput;
}

/** What a cache asks for. */
export function childrenOf(cache: ClusteredCache): Children {
  const { name, namespace } = cache.metadata;
  const labels = { app: name };
  const metadata = { name, ...(namespace !== undefined && { namespace }), labels };
  const owner = { descriptor: clusteredCaches, object: cache };
  const ports = [{ name: 'cache', port: 6379 }];
  const containers = [{ name: 'cache', image: cache.spec.image, ports: [{ name: 'cache', containerPort: 6379 }] }];
  return {
    service: withController<ServiceInput>(
      { apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP: 'None', selector: labels, ports } },
      owner,
    ),
    budget: withController<PodDisruptionBudgetInput>(
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata,
        spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
      },
      owner,
    ),
    set: withController<StatefulSetInput>(
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata,
        spec: {
          replicas: cache.spec.replicas,
          serviceName: name,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers } },
        },
      },
      owner,
    ),
  };
}
