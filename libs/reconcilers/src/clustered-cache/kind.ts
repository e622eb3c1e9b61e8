import { clusteredCaches } from '@ordinal/api';
import type { ClusteredCache } from '@ordinal/api';
import type { Pod } from '@ordinal/client';
import { jobs, podDisruptionBudgets, pods, services, statefulSets } from '@ordinal/client';
import { takenOverByLabel, templateHashAnnotation } from '@ordinal/constructs';
import type { ControllerDefinition, ControllerOptions } from '@ordinal/runtime';
import { controller, mapTo, withAnnotations } from '@ordinal/runtime';
import { ObservedReservations, SealedJobs, SealedStatuses } from '@ordinal/lifecycle';
import { jobMarks, previousTemplateAnnotation, readOfJobs, reservationAnnotation } from '../annotations.ts';
import type { Kind } from '../kind.ts';
import { readOfAdopted } from '../adoption/obstacle.ts';
import { appliedHashAnnotation } from './names.ts';
import { cacheMemory } from './memory.ts';
import { clusteredCacheGauges, clusteredCacheMetrics } from './metrics.ts';
import type { ClusteredCacheOptions } from './reconcile.ts';
import { reconcileClusteredCache } from './reconcile.ts';
import { holderOf } from './taken-out.ts';
import { clusteredCacheWebhook } from './webhook.ts';

/**
 * The caches to which a pod belongs by its labels, and for which it is held, whether they still exist or not: the finalizer of their pods must be removed even
 * then (S0.6).
 */
const cachesOfPod = mapTo<Pod>((pod) => {
  const { namespace = '', labels = {} } = pod.metadata;
  const { 'app.kubernetes.io/name': application, 'app.kubernetes.io/instance': instance } = labels;
  const marked = application === 'clustered-cache' ? instance : undefined;
  const names = new Set([marked, labels[takenOverByLabel], holderOf(pod)]);
  return [...names].flatMap((name) => (name === undefined ? [] : [{ namespace, name }]));
});

/** The controller of ClusteredCaches: what it reads, what wakes it, what it writes. Nothing is polled but gates that are closed. */
export function clusteredCacheController(
  options: ClusteredCacheOptions & { readonly controller?: ControllerOptions },
): ControllerDefinition {
  const reservations = new ObservedReservations(reservationAnnotation);
  const statuses = new SealedStatuses(cacheMemory, options.seals);
  const sealedJobs = new SealedJobs(clusteredCaches, options.seals, jobMarks);
  return (
    controller('clustered-cache')
      .for(clusteredCaches)
      // Annotations of a quarter of a megabyte are anyone's: the caches keep those that are read.
      .owns(withAnnotations(statefulSets, [appliedHashAnnotation, previousTemplateAnnotation, ...readOfAdopted]))
      .owns(withAnnotations(services, [appliedHashAnnotation]))
      .owns(withAnnotations(podDisruptionBudgets, [appliedHashAnnotation]))
      .owns(withAnnotations(jobs, [appliedHashAnnotation, ...readOfJobs]))
      .watches(withAnnotations(pods, [templateHashAnnotation]), cachesOfPod)
      .writes(clusteredCaches, ['patch'])
      .writes(clusteredCaches, ['patch'], 'status')
      .writes(statefulSets, ['create', 'patch'])
      .writes(services, ['create', 'patch', 'delete'])
      .writes(podDisruptionBudgets, ['create', 'patch', 'delete'])
      .writes(jobs, ['create', 'patch', 'delete'])
      .writes(pods, ['patch', 'delete'])
      .writes(pods, ['get', 'create'], 'exec')
      .writes(pods, ['get', 'create'], 'proxy')
      .writes(pods, ['get'], 'log')
      .options(options.controller ?? {})
      .reconcile((key, context) =>
        reconcileClusteredCache(key, context, { ...options, reservations, statuses, sealedJobs }),
      )
  );
}

/** ClusteredCache: members of a cache that are replaced one by one, each when its gates are open. */
export const clusteredCacheKind: Kind<ClusteredCache> = {
  name: 'clustered-cache',
  descriptor: clusteredCaches,
  controllers: (environment) => [clusteredCacheController(environment)],
  webhook: clusteredCacheWebhook,
  metrics: { gauges: clusteredCacheGauges, samples: clusteredCacheMetrics },
};
