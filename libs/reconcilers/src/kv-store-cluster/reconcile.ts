import { kvStoreClusters } from '@ordinal/api';
import type { KubernetesObject, ObjectKey } from '@ordinal/client';
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
import { taskOfLabel } from '@ordinal/constructs';
import type { ControllerDefinition, ControllerOptions, ReconcileContext, Result } from '@ordinal/runtime';
import { awaitChange, controller, mapTo } from '@ordinal/runtime';
import { execute } from '../decision/index.ts';
import { decideOnError, isSilent } from '../error-management/index.ts';
import type { Probes } from '../health-check/index.ts';
import { decideKVStoreCluster } from './decide.ts';
import { observeKVStoreCluster } from './observe.ts';
import { problemsOf } from './validate.ts';
import { decideInvalid } from './invalid.ts';

/** What the controller of KVStoreCluster is made of. */
export interface KVStoreClusterOptions {
  readonly probes: Probes;
  readonly controller?: ControllerOptions;
}

/** What the operator creates bears this label, so that caches hold nothing else. */
const managed = { labelSelector: 'app.kubernetes.io/managed-by=ordinal-operator' };

/** What outlives a cluster has no owner: its labels say whose it is. */
const byLabel = mapTo(({ metadata }: KubernetesObject): ObjectKey[] => {
  const { namespace = '', labels = {} } = metadata;
  const member =
    labels['app.kubernetes.io/name'] === 'kv-store-cluster' ? labels['app.kubernetes.io/instance'] : undefined;
  const name = member ?? labels[taskOfLabel];
  return name === undefined ? [] : [{ namespace, name }];
});

/** The controller that keeps clusters. */
export function kvStoreClusterController(options: KVStoreClusterOptions): ControllerDefinition {
  return controller('kv-store-cluster')
    .for(kvStoreClusters)
    .owns(statefulSets)
    .owns(services)
    .owns(podDisruptionBudgets)
    .watches(pods, byLabel, managed)
    .watches(persistentVolumeClaims, byLabel, managed)
    .watches(jobs, byLabel, managed)
    .reads(controllerRevisions, managed)
    .reads(namespaces)
    .writes(kvStoreClusters, ['patch'])
    .writes(kvStoreClusters, ['patch'], 'status')
    .writes(kvStoreClusters, ['update'], 'finalizers')
    .writes(statefulSets, ['create', 'patch', 'delete'])
    .writes(services, ['create', 'patch'])
    .writes(podDisruptionBudgets, ['create', 'patch'])
    .writes(persistentVolumeClaims, ['create', 'patch', 'delete'])
    .writes(jobs, ['create', 'delete'])
    .writes(pods, ['delete'])
    .writes(pods, ['get', 'create'], 'exec')
    .writes(pods, ['get'], 'log')
    .options({ concurrency: 10, timeoutMs: 120_000, ...options.controller })
    .reconcile((key, context) => reconcile(key, context, options.probes));
}

async function reconcile(key: ObjectKey, context: ReconcileContext, probes: Probes): Promise<Result> {
  const seen = await observeKVStoreCluster(key, context, probes);
  if (!seen) return awaitChange();
  const now = context.clock.now();
  const problems = seen.cluster.metadata.deletionTimestamp === undefined ? problemsOf(seen.cluster.spec) : [];
  try {
    const decision = problems.length > 0 ? decideInvalid(seen, problems, now) : decideKVStoreCluster(seen, now);
    return await execute(decision, context);
  } catch (failure) {
    if (isSilent(failure)) throw failure;
    return execute(
      decideOnError(failure, { descriptor: kvStoreClusters, object: seen.cluster }, context.clock.now()),
      context,
    );
  }
}
