// The workload as a typical TypeScript author writes it with @kubernetes/client-node:
// four informers, a small deduplicating queue with ten workers, typed API calls, merge patches.
import {
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  PatchStrategy,
  PolicyV1Api,
  makeInformer,
  setHeaderOptions,
} from '@kubernetes/client-node';
import type {
  Informer,
  KubernetesListObject,
  KubernetesObject,
  ObjectCache,
  V1ObjectMeta,
  V1PodDisruptionBudget,
  V1Service,
  V1StatefulSet,
} from '@kubernetes/client-node';

const GROUP = 'cache.my.domain';
const VERSION = 'v1';
const PLURAL = 'clusteredcaches';
const FINALIZER = 'cache.my.domain/finalizer';
const CONCURRENCY = 10;

interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  observedGeneration?: number;
  lastTransitionTime?: string | undefined;
}
interface Status {
  readyReplicas?: number;
  currentVersion?: string;
  observedGeneration?: number;
  conditions?: Condition[];
}
interface ClusteredCache extends KubernetesObject {
  metadata: V1ObjectMeta;
  spec: { replicas: number; image: string };
  status?: Status;
}

const kc = new KubeConfig();
kc.loadFromDefault();
if (process.env.SHARE_AGENT) {
  // client-node 2.0.1 makes a new undici Agent, so a new TLS connection, for every request as soon as the
  // kubeconfig has a CA, a client certificate or skipTLSVerify. This is what its author would have to patch.
  const patched = kc as unknown as { createDispatcher: (...args: unknown[]) => unknown };
  const original = patched.createDispatcher.bind(kc);
  let shared: unknown;
  patched.createDispatcher = (...args) => (shared ??= original(...args));
}
const core = kc.makeApiClient(CoreV1Api);
const apps = kc.makeApiClient(AppsV1Api);
const policy = kc.makeApiClient(PolicyV1Api);
const custom = kc.makeApiClient(CustomObjectsApi);
const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

// --- queue: a key is worked on by one worker at a time; failures come back with backoff ---

const queue: string[] = [];
const waiting = new Set<string>();
const running = new Set<string>();
const again = new Set<string>();
const failures = new Map<string, number>();

function enqueue(key: string): void {
  if (running.has(key)) {
    again.add(key);
    return;
  }
  if (waiting.has(key)) return;
  waiting.add(key);
  queue.push(key);
  pump();
}

let head = 0;
function pump(): void {
  while (running.size < CONCURRENCY && head < queue.length) {
    const key = queue[head++]!;
    if (head > 1024 && head * 2 > queue.length) {
      queue.splice(0, head);
      head = 0;
    }
    waiting.delete(key);
    running.add(key);
    void work(key);
  }
}

async function work(key: string): Promise<void> {
  try {
    await reconcile(key);
    failures.delete(key);
  } catch (err) {
    const n = (failures.get(key) ?? 0) + 1;
    failures.set(key, n);
    if (codeOf(err) !== 409) console.error(`reconcile ${key} failed (${n}):`, err instanceof Error ? err.message : err);
    setTimeout(() => enqueue(key), Math.min(5 * 2 ** n, 60_000));
  } finally {
    running.delete(key);
    if (again.delete(key)) enqueue(key);
    pump();
  }
}

function codeOf(err: unknown): number | undefined {
  return typeof err === 'object' && err !== null && 'code' in err ? (err.code as number) : undefined;
}

async function ignore(code: number, call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (err) {
    if (codeOf(err) !== code) throw err;
  }
}

// --- informers ---

type Cached<T extends KubernetesObject> = Informer<T> & ObjectCache<T>;

function inform<T extends KubernetesObject>(
  path: string,
  list: () => Promise<KubernetesListObject<T>>,
  keyOf: (obj: T) => string | undefined,
): Cached<T> {
  const informer = makeInformer<T>(kc, path, list);
  const handler = (obj: T): void => {
    const key = keyOf(obj);
    if (key !== undefined) enqueue(key);
  };
  informer.on('add', handler);
  informer.on('update', handler);
  informer.on('delete', handler);
  informer.on('error', (err: unknown) => {
    console.error(`informer ${path}:`, err);
    setTimeout(() => void informer.start(), 1000);
  });
  return informer;
}

const ownKey = (obj: KubernetesObject): string => `${obj.metadata!.namespace}/${obj.metadata!.name}`;
const ownerKey = (obj: KubernetesObject): string | undefined => {
  const owner = obj.metadata!.ownerReferences?.find((ref) => ref.controller && ref.kind === 'ClusteredCache');
  return owner && `${obj.metadata!.namespace}/${owner.name}`;
};

const caches = inform<ClusteredCache>(
  `/apis/${GROUP}/${VERSION}/${PLURAL}`,
  () => custom.listClusterCustomObject({ group: GROUP, version: VERSION, plural: PLURAL }),
  ownKey,
);
const services = inform<V1Service>('/api/v1/services', () => core.listServiceForAllNamespaces(), ownerKey);
const budgets = inform<V1PodDisruptionBudget>(
  '/apis/policy/v1/poddisruptionbudgets',
  () => policy.listPodDisruptionBudgetForAllNamespaces(),
  ownerKey,
);
const sets = inform<V1StatefulSet>(
  '/apis/apps/v1/statefulsets',
  () => apps.listStatefulSetForAllNamespaces(),
  ownerKey,
);

// --- reconcile ---

const refOf = (cache: ClusteredCache) => ({
  group: GROUP,
  version: VERSION,
  plural: PLURAL,
  namespace: cache.metadata.namespace!,
  name: cache.metadata.name!,
});

async function reconcile(key: string): Promise<void> {
  const [namespace, name] = key.split('/') as [string, string];
  const cache = caches.get(name, namespace);
  if (!cache) return;
  if (cache.metadata.deletionTimestamp) return cleanUp(cache);
  if (!cache.metadata.finalizers?.includes(FINALIZER)) {
    const finalizers = [...(cache.metadata.finalizers ?? []), FINALIZER];
    await custom.patchNamespacedCustomObject({ ...refOf(cache), body: { metadata: { finalizers } } }, merge);
  }
  const metadata = childMetadata(cache);
  await ensureService(metadata);
  await ensureBudget(metadata);
  await writeStatus(cache, await ensureSet(cache, metadata));
}

async function cleanUp(cache: ClusteredCache): Promise<void> {
  if (!cache.metadata.finalizers?.includes(FINALIZER)) return;
  const { namespace, name } = refOf(cache);
  await ignore(404, apps.deleteNamespacedStatefulSet({ namespace, name }));
  await ignore(404, policy.deleteNamespacedPodDisruptionBudget({ namespace, name }));
  await ignore(404, core.deleteNamespacedService({ namespace, name }));
  const finalizers = cache.metadata.finalizers.filter((finalizer) => finalizer !== FINALIZER);
  await ignore(404, custom.patchNamespacedCustomObject({ ...refOf(cache), body: { metadata: { finalizers } } }, merge));
}

interface ChildMetadata extends V1ObjectMeta {
  name: string;
  namespace: string;
  labels: { app: string };
}

function childMetadata(cache: ClusteredCache): ChildMetadata {
  const { namespace, name } = refOf(cache);
  const owner = {
    apiVersion: `${GROUP}/${VERSION}`,
    kind: 'ClusteredCache',
    name,
    uid: cache.metadata.uid!,
    controller: true,
    blockOwnerDeletion: true,
  };
  return { name, namespace, labels: { app: name }, ownerReferences: [owner] };
}

async function ensureService(metadata: ChildMetadata): Promise<void> {
  const { namespace, name, labels } = metadata;
  const service = services.get(name, namespace);
  const ports = [{ name: 'cache', port: 6379 }];
  if (!service) {
    const body: V1Service = { metadata, spec: { clusterIP: 'None', selector: labels, ports } };
    await core.createNamespacedService({ namespace, body });
  } else if (service.spec?.selector?.app !== name || service.spec.ports?.[0]?.port !== 6379) {
    await core.patchNamespacedService({ namespace, name, body: { spec: { selector: labels, ports } } }, merge);
  }
}

async function ensureBudget(metadata: ChildMetadata): Promise<void> {
  const { namespace, name, labels } = metadata;
  const budget = budgets.get(name, namespace);
  if (!budget) {
    const body: V1PodDisruptionBudget = {
      metadata,
      spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
    };
    await policy.createNamespacedPodDisruptionBudget({ namespace, body });
  } else if (budget.spec?.maxUnavailable !== 1) {
    await policy.patchNamespacedPodDisruptionBudget({ namespace, name, body: { spec: { maxUnavailable: 1 } } }, merge);
  }
}

async function ensureSet(cache: ClusteredCache, metadata: ChildMetadata): Promise<V1StatefulSet> {
  const { namespace, name, labels } = metadata;
  const { replicas, image } = cache.spec;
  const set = sets.get(name, namespace);
  const spec = { containers: [{ name: 'cache', image, ports: [{ name: 'cache', containerPort: 6379 }] }] };
  if (!set) {
    const body: V1StatefulSet = {
      metadata,
      spec: {
        replicas,
        serviceName: name,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec },
      },
    };
    return apps.createNamespacedStatefulSet({ namespace, body });
  }
  if (set.spec?.replicas === replicas && set.spec.template.spec?.containers[0]?.image === image) return set;
  return apps.patchNamespacedStatefulSet({ namespace, name, body: { spec: { replicas, template: { spec } } } }, merge);
}

async function writeStatus(cache: ClusteredCache, set: V1StatefulSet): Promise<void> {
  const { replicas, image } = cache.spec;
  const readyReplicas = set.status?.readyReplicas ?? 0;
  const available = readyReplicas === replicas && set.status?.observedGeneration === set.metadata?.generation;
  const generation = cache.metadata.generation!;
  const old = cache.status?.conditions?.find((condition) => condition.type === 'Available');
  const status = available ? 'True' : 'False';
  if (
    cache.status?.readyReplicas === readyReplicas &&
    cache.status.currentVersion === image &&
    cache.status.observedGeneration === generation &&
    old?.status === status
  )
    return;
  const condition: Condition = {
    type: 'Available',
    status,
    reason: available ? 'AllReplicasReady' : 'Progressing',
    message: '',
    observedGeneration: generation,
    lastTransitionTime:
      old?.status === status ? old.lastTransitionTime : new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  const body = {
    status: { readyReplicas, currentVersion: image, observedGeneration: generation, conditions: [condition] },
  };
  await ignore(404, custom.patchNamespacedCustomObjectStatus({ ...refOf(cache), body }, merge));
}

// Children first, so that the caches are complete before the first ClusteredCache is seen.
await Promise.all([services.start(), budgets.start(), sets.start()]);
await caches.start();
