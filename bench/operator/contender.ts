// Our contender in the operator benchmark: the workload as an author would write it on @ordinal/runtime.
// KUBECONFIG names the API server. CHILDREN=apply writes children by server-side apply instead of create and patch; RECORD names a file for
// what the flight recorder notes, or is empty: then its code is loaded, as in every operator, and nothing is recorded.
import { hostname } from 'node:os';
import {
  createClient,
  httpTransport,
  isApiError,
  podDisruptionBudgets,
  services,
  statefulSets,
  systemClock,
  withFindings,
} from '@ordinal/client';
import type { KubernetesObject, KubernetesObjectInput, ObjectKey, ResourceDescriptor } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import {
  addFinalizer,
  awaitChange,
  controller,
  createManager,
  hasFinalizer,
  isBeingDeleted,
  patchStatus,
  removeFinalizer,
} from '@ordinal/runtime';
import type { ReconcileContext, Result } from '@ordinal/runtime';
import { clusteredCaches } from './caches.ts';
import type { ClusteredCache } from './caches.ts';
import { cachedBudgets, cachedServices, cachedSets, childrenOf } from './children.ts';
import { covers } from './drift.ts';

const finalizer = 'cache.my.domain/finalizer';
const fieldManager = 'ordinal-bench';
const byApply = process.env['CHILDREN'] === 'apply';

/** Creates a child, or patches what has drifted. Nothing is sent where it is as wanted. */
async function ensure<Write extends KubernetesObjectInput & { readonly spec?: unknown }>(
  { client }: ReconcileContext,
  descriptor: ResourceDescriptor<KubernetesObject, Write>,
  present: (KubernetesObject & { readonly spec?: unknown }) | undefined,
  wanted: Write,
): Promise<void> {
  if (
    present !== undefined &&
    covers(present.metadata.labels, wanted.metadata.labels) &&
    covers(present.spec, wanted.spec)
  )
    return;
  const resource = client(descriptor).in(wanted.metadata.namespace ?? '');
  if (byApply) await resource.apply(wanted, { fieldManager, force: true });
  else if (present === undefined) await resource.create(wanted);
  else {
    const { uid, resourceVersion } = present.metadata;
    const body = { ...wanted, metadata: { ...wanted.metadata, uid, resourceVersion } };
    await resource.patch(present.metadata.name, { type: 'strategic', body });
  }
}

async function remove(key: ObjectKey, cache: ClusteredCache, context: ReconcileContext): Promise<Result> {
  if (!hasFinalizer(cache, finalizer)) return awaitChange();
  const children = [
    [statefulSets, context.cache.get(cachedSets, key)],
    [podDisruptionBudgets, context.cache.get(cachedBudgets, key)],
    [services, context.cache.get(cachedServices, key)],
  ] as const;
  for (const [descriptor, child] of children) {
    if (child === undefined) continue;
    const options = { propagationPolicy: 'Background', preconditions: { uid: child.metadata.uid } } as const;
    await context
      .client<KubernetesObject, KubernetesObjectInput>(descriptor)
      .namespace(key.namespace)
      .delete(key.name, options)
      .catch(unlessGone);
  }
  await removeFinalizer(context, clusteredCaches, cache, finalizer).catch(unlessGone);
  return awaitChange();
}

function unlessGone(error: unknown): void {
  if (!isApiError(error, 'NotFound')) throw error;
}

async function reconcile(key: ObjectKey, context: ReconcileContext): Promise<Result> {
  const seen = context.cache.get(clusteredCaches, key);
  if (seen === undefined) return awaitChange();
  if (isBeingDeleted(seen)) return await remove(key, seen, context);
  const cache = await addFinalizer(context, clusteredCaches, seen, finalizer);
  const { service, budget, set } = childrenOf(cache);
  await ensure(context, services, context.cache.get(cachedServices, key), service);
  await ensure(context, podDisruptionBudgets, context.cache.get(cachedBudgets, key), budget);
  const present = context.cache.get(cachedSets, key);
  await ensure(context, statefulSets, present, set);
  const { replicas, image } = cache.spec;
  // Its controller has not looked at the StatefulSet as it is now: there is nothing to say of it, and saying so would be a write for nothing.
  if (present?.status?.observedGeneration !== present?.metadata.generation || present?.spec?.replicas !== replicas)
    return awaitChange();
  const readyReplicas = present.status?.readyReplicas ?? 0;
  const ready = readyReplicas === replicas;
  const observedGeneration = cache.metadata.generation ?? 0;
  const available = {
    type: 'Available',
    status: ready ? 'True' : 'False',
    reason: ready ? 'AllReplicasReady' : 'Progressing',
    message: '',
  } as const;
  const at = { now: context.clock.now(), generation: observedGeneration };
  const conditions = withFindings(cache.status?.conditions, [available], at);
  await patchStatus(context, clusteredCaches, cache, {
    readyReplicas,
    currentVersion: image,
    observedGeneration,
    conditions,
  });
  return awaitChange();
}

const kubeconfig = process.env['KUBECONFIG'];
if (kubeconfig === undefined) throw new Error('KUBECONFIG is not set: it names the API server of the benchmark');
const file = process.env['RECORD'];
const recording = file === undefined ? undefined : (await import('./recorded.ts')).recorded(file);
const transport = httpTransport(await kubeconfigServer({ files: [kubeconfig] }));
const client = createClient({
  transport: recording?.transport(transport) ?? transport,
  fieldManager,
  userAgent: 'ordinal-bench',
});
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(new Error(signal)));
const keepAlive = setInterval(() => undefined, 60_000);
const definition = controller('clusteredcache')
  .for(clusteredCaches)
  .owns(cachedServices)
  .owns(cachedBudgets)
  .owns(cachedSets)
  .options({ concurrency: 10 })
  .reconcile(reconcile);
await createManager({
  client,
  clock: systemClock,
  random: Math.random,
  name: 'cache.my.domain/bench',
  identity: hostname(),
})
  .add(recording?.controller(definition) ?? definition)
  .start(stop.signal);
clearInterval(keepAlive);
await recording?.close();
await client.close();
