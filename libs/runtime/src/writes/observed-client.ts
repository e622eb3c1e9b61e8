import { isApiError, TransportError } from '@ordinal/client';
import type {
  Client,
  KindClient,
  KubernetesObject,
  KubernetesObjectInput,
  ObjectKey,
  ResourceClient,
  ResourceDescriptor,
} from '@ordinal/client';
import type { Gone } from './own-writes.ts';

/** What is called for each write. */
interface WriteObserver {
  /** Called before a write is begun. Throws where it must not be. */
  permit(): void;
  /** The server has carried a write out and returned the object. */
  wrote(descriptor: ResourceDescriptor, object: KubernetesObject): void;
  /** Which object is known in a place when a write is about to be sent there. */
  shownAt(descriptor: ResourceDescriptor, place: ObjectKey): string | undefined;
  /** The server has removed an object. */
  gone(descriptor: ResourceDescriptor, gone: Gone): void;
  /** No reply came: the write may or may not have been carried out. */
  uncertain(write: UncertainWrite): void;
}

/** A write that got no reply. */
export interface UncertainWrite {
  readonly descriptor: ResourceDescriptor;
  readonly namespace: string;
  /** Undefined for a creation with a generated name. */
  readonly name: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** The UID of the object that was known under the name when the write was sent. */
  readonly uid: string | undefined;
}

/** What an observed client does with the calls that pass through it. */
export interface ObservedClientOptions {
  readonly observer: WriteObserver;
  /** Aborts every call. */
  readonly signal: AbortSignal;
}

/**
 * The client, with an observer of its writes. Calls carry the signal unless they bring their own. Dry-run clients made from it are observed for
 * permission only, since nothing that they write will ever be in a cache.
 */
export function observedClient(client: Client, options: ObservedClientOptions): Client {
  const { observer, signal } = options;
  const observed = <Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
  ): KindClient<Read, Write> => {
    const kind = client(descriptor);
    const wrap = (resource: ResourceClient<Read, Write>, namespace: string): ResourceClient<Read, Write> =>
      observedResource(resource, { ...options, descriptor, namespace });
    return {
      ...delegatedReads(kind, signal),
      namespace: (namespace) => wrap(kind.namespace(namespace), namespace),
      cluster: () => wrap(kind.cluster(), ''),
      in: (namespace) => wrap(kind.in(namespace), descriptor.scope === 'Cluster' ? '' : namespace),
    };
  };
  const permitted = <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) => {
    return async (...args: Args): Promise<Result> => {
      observer.permit();
      return await call(...args);
    };
  };
  const { pods } = client;
  return Object.assign(observed, {
    pods: {
      logs: pods.logs.bind(pods),
      proxy: pods.proxy.bind(pods),
      exec: permitted(pods.exec.bind(pods)),
      stream: permitted(pods.stream.bind(pods)),
      evict: permitted(pods.evict.bind(pods)),
    },
    dryRun: () => observedClient(client.dryRun(), { ...options, observer: permissionOnly(observer) }),
    impersonate: (user: Parameters<Client['impersonate']>[0]) => observedClient(client.impersonate(user), options),
    request: async (...[method, path, request]: Parameters<Client['request']>) => {
      if (method !== 'GET') observer.permit();
      return await client.request(method, path, {
        signal,
        ...(method !== 'GET' && { permit: () => observer.permit() }),
        ...request,
      });
    },
    close: () => client.close(),
  });
}

function permissionOnly(observer: WriteObserver): WriteObserver {
  const nothing = (): void => undefined;
  return {
    permit: () => observer.permit(),
    shownAt: () => undefined,
    wrote: nothing,
    gone: nothing,
    uncertain: nothing,
  };
}

function delegatedReads<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
  reads: Pick<ResourceClient<Read, Write>, 'list' | 'watch'>,
  signal: AbortSignal,
): Pick<ResourceClient<Read, Write>, 'list' | 'watch'> {
  return {
    list: (options) => reads.list({ signal, ...options }),
    watch: (options) => reads.watch({ signal, ...options }),
  };
}

interface ResourceOptions extends ObservedClientOptions {
  readonly descriptor: ResourceDescriptor;
  readonly namespace: string;
}

function observedResource<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
  resource: ResourceClient<Read, Write>,
  options: ResourceOptions,
): ResourceClient<Read, Write> {
  const { signal, observer } = options;
  // Repeated attempts have to be permitted too: a lease may have gone in the pause between them.
  const bound = { signal, permit: () => observer.permit() };
  const write = <Result>(target: WriteTarget, call: () => Promise<Result>, dryRun = false): Promise<Result> =>
    observedWrite(target, call, { ...options, dryRun });
  const named = (name: string): WriteTarget => ({ name, labels: {} });
  const bySelf = (object: Write | Read): WriteTarget => ({
    name: object.metadata.name,
    labels: object.metadata.labels ?? {},
  });
  const { status, scale } = resource;
  return {
    ...delegatedReads(resource, signal),
    get: (name, call) => resource.get(name, { signal, ...call }),
    find: (name, call) => resource.find(name, { signal, ...call }),
    create: (object, call) => write(bySelf(object), () => resource.create(object, { ...bound, ...call }), call?.dryRun),
    update: (object, call) => write(bySelf(object), () => resource.update(object, { ...bound, ...call }), call?.dryRun),
    patch: (name, patch, call) =>
      write(named(name), () => resource.patch(name, patch, { ...bound, ...call }), call?.dryRun),
    apply: (object, call) => write(bySelf(object), () => resource.apply(object, { ...bound, ...call }), call.dryRun),
    delete: (name, call) =>
      observedDelete(name, () => resource.delete(name, { ...bound, ...call }), {
        ...options,
        dryRun: call?.dryRun ?? false,
      }),
    deleteCollection: async (call) => {
      observer.permit();
      await resource.deleteCollection({ ...bound, ...call });
    },
    status: {
      get: (name, call) => status.get(name, { signal, ...call }),
      update: (object, call) => write(bySelf(object), () => status.update(object, { ...bound, ...call }), call?.dryRun),
      patch: (name, patch, call) =>
        write(named(name), () => status.patch(name, patch, { ...bound, ...call }), call?.dryRun),
      apply: (object, call) => write(bySelf(object), () => status.apply(object, { ...bound, ...call }), call.dryRun),
    },
    scale: {
      get: (name, call) => scale.get(name, { signal, ...call }),
      update: (name, replicas, call) =>
        write(named(name), () => scale.update(name, replicas, { ...bound, ...call }), call?.dryRun),
    },
  };
}

interface WriteTarget {
  readonly name: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

type WriteContext = ResourceOptions & { readonly dryRun: boolean };

async function observedWrite<Result>(
  target: WriteTarget,
  call: () => Promise<Result>,
  context: WriteContext,
): Promise<Result> {
  const { observer, descriptor, namespace, dryRun } = context;
  const { name } = target;
  observer.permit();
  const uid = name === undefined ? undefined : observer.shownAt(descriptor, { namespace, name });
  try {
    const result = await call();
    if (!dryRun && isObject(result)) observer.wrote(descriptor, result);
    return result;
  } catch (error) {
    if (!dryRun && mayHaveHappened(error)) observer.uncertain({ descriptor, namespace, uid, ...target });
    throw error;
  }
}

async function observedDelete<Result extends { readonly outcome: string }>(
  name: string,
  call: () => Promise<Result>,
  context: WriteContext,
): Promise<Result> {
  const { observer, descriptor, namespace, dryRun } = context;
  const place = { namespace, name };
  observer.permit();
  const uid = observer.shownAt(descriptor, place);
  try {
    const result = await call();
    if (dryRun) return result;
    if ('object' in result && isObject(result.object)) observer.wrote(descriptor, result.object);
    else observer.gone(descriptor, { place, uid });
    return result;
  } catch (error) {
    if (!dryRun && isApiError(error, 'NotFound')) observer.gone(descriptor, { place, uid });
    if (!dryRun && mayHaveHappened(error)) observer.uncertain({ descriptor, namespace, name, labels: {}, uid });
    throw error;
  }
}

function isObject(value: unknown): value is KubernetesObject {
  if (typeof value !== 'object' || value === null || !('metadata' in value)) return false;
  const { metadata } = value;
  return typeof metadata === 'object' && metadata !== null && 'resourceVersion' in metadata && 'name' in metadata;
}

/** Whether a failed write may have been carried out all the same: its reply was lost, or the server ran out of time while it worked on it. */
function mayHaveHappened(error: unknown): boolean {
  if (error instanceof TransportError) return !error.unsent;
  return isApiError(error, 'Timeout', 'ServerTimeout', 'InternalError') || isAbort(error);
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
