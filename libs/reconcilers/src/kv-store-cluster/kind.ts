import { kvStoreClusters } from '@ordinal/api';
import type { KVStoreCluster } from '@ordinal/api';
import {
  controllerRevisions,
  jobs,
  namespaces,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  services,
  statefulSets,
} from '@ordinal/client';
import type { KubernetesObject, ObjectKey } from '@ordinal/client';
import { sealAnnotation, storeTakenOverByLabel, taskOfLabel, templateHashAnnotation } from '@ordinal/constructs';
import { controller, mapTo, owner, withAnnotations } from '@ordinal/runtime';
import type { ControllerDefinition } from '@ordinal/runtime';
import { readOfAdopted } from '../adoption/obstacle.ts';
import { readOfJobs } from '../annotations.ts';
import type { Kind } from '../kind.ts';
import { kvStoreClusterGauges, kvStoreClusterMetrics } from './metrics.ts';
import { KVStoreClusterReconciler } from './reconcile.ts';
import type { KVStoreClusterOptions } from './reconcile.ts';
import { kvStoreClusterWebhook } from './webhook.ts';

/** What the operator creates bears this label, so that caches hold nothing else. */
const managed = { labelSelector: 'app.kubernetes.io/managed-by=ordinal-operator' };

/** What outlives a cluster has no owner: its labels say whose it is. */
const byLabel = mapTo(({ metadata }: KubernetesObject): ObjectKey[] => {
  const { namespace = '', labels = {} } = metadata;
  const member =
    labels['app.kubernetes.io/name'] === 'kv-store-cluster' ? labels['app.kubernetes.io/instance'] : undefined;
  const name = member ?? labels[taskOfLabel] ?? labels[storeTakenOverByLabel];
  return name === undefined ? [] : [{ namespace, name }];
});

/** The controller that keeps clusters. */
export function kvStoreClusterController(options: KVStoreClusterOptions): ControllerDefinition {
  const reconciler = new KVStoreClusterReconciler(options);
  return (
    controller('kv-store-cluster')
      // A scratch cluster wakes the one that controls it.
      .for(kvStoreClusters, { alsoWakes: owner })
      // Annotations of a quarter of a megabyte are anyone's: the caches keep those that are read.
      .owns(withAnnotations(statefulSets, readOfAdopted))
      .owns(withAnnotations(services, []))
      .owns(withAnnotations(podDisruptionBudgets, []))
      .watches(withAnnotations(pods, [templateHashAnnotation, sealAnnotation]), byLabel, managed)
      .watches(withAnnotations(persistentVolumeClaims, []), byLabel, managed)
      .watches(withAnnotations(jobs, readOfJobs), byLabel, managed)
      .reads(withAnnotations(controllerRevisions, []), managed)
      .reads(withAnnotations(namespaces, []))
      // Scratch clusters of restore drills.
      .writes(kvStoreClusters, ['create', 'patch', 'delete'])
      .writes(kvStoreClusters, ['patch'], 'status')
      .writes(statefulSets, ['create', 'patch', 'delete'])
      .writes(services, ['create', 'patch', 'delete'])
      .writes(podDisruptionBudgets, ['create', 'patch'])
      .writes(persistentVolumeClaims, ['create', 'patch', 'delete'])
      .writes(jobs, ['create', 'patch', 'delete'])
      .writes(pods, ['patch', 'delete'])
      .writes(pods, ['get', 'create'], 'exec')
      .writes(pods, ['get', 'create'], 'proxy')
      .writes(pods, ['get'], 'log')
      .options({ concurrency: 10, timeoutMs: 120_000, ...options.controller })
      .reconcile((key, context) => reconciler.reconcile(key, context))
  );
}

/** KVStoreCluster: a store with backups, canaries and volumes. */
export const kvStoreClusterKind: Kind<KVStoreCluster> = {
  name: 'kv-store-cluster',
  descriptor: kvStoreClusters,
  controllers: (environment) => [kvStoreClusterController(environment)],
  webhook: kvStoreClusterWebhook,
  metrics: { gauges: kvStoreClusterGauges, samples: kvStoreClusterMetrics },
};
