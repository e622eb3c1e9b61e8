import type { ApiReply, ApiRequest, JsonObject, RequestOptions } from '../request.ts';
import type { ApiServer } from '../server.ts';
import type { StoredObject } from '../object.ts';
import { isObject } from '../object.ts';
import type { ServerResource } from '../resources/resource.ts';
import { groupVersion } from '../resources/resource.ts';
import { keyOf, liveObject, resourceOf } from '../resources/target.ts';
import { presenter } from '../resources/present.ts';
import { conflict } from '../status.ts';
import { timestamp } from '../metadata.ts';
import { selectionOf } from './read.ts';

type DeleteOptions = Pick<RequestOptions, 'dryRun' | 'gracePeriodSeconds' | 'propagationPolicy' | 'preconditions'>;

/** `delete` and `deletecollection`. */
export class DeleteVerbs {
  readonly #server: ApiServer;

  constructor(server: ApiServer) {
    this.#server = server;
  }

  delete(request: ApiRequest): ApiReply {
    const resource = resourceOf(this.#server.resources, request, 'delete');
    const live = liveObject(this.#server.store, resource, request);
    return this.#deleteOne(resource, live, optionsOf(request));
  }

  deleteCollection(request: ApiRequest): ApiReply {
    const resource = resourceOf(this.#server.resources, request, 'deletecollection');
    const selects = selectionOf(resource, request);
    const selected = this.#server.store.snapshot(resource.storage).filter(([, object]) => selects(object));
    for (const [, object] of selected) this.#deleteOne(resource, object, optionsOf(request));
    const present = presenter(resource);
    return {
      status: 200,
      body: {
        kind: `${resource.kind}List`,
        apiVersion: groupVersion(resource),
        metadata: { resourceVersion: String(this.#server.store.revision) },
        items: selected.map(([, object]) => present(object)),
      },
    };
  }

  /** Whether nothing keeps an object any more: its deletion was asked for, its grace period is over and its finalizers are gone. */
  isReleased(object: StoredObject): boolean {
    const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
    return (
      deletionTimestamp !== undefined && (deletionGracePeriodSeconds ?? 0) === 0 && (finalizers ?? []).length === 0
    );
  }

  /** Takes an object out of the store; the reply shows its last state. */
  remove(resource: ServerResource, key: string, last: StoredObject): ApiReply {
    const removed = this.#server.store.remove(resource.storage, key, (resourceVersion) => ({
      ...last,
      metadata: { ...last.metadata, resourceVersion },
    }));
    return { status: 200, body: presenter(resource)(removed) };
  }

  #deleteOne(resource: ServerResource, live: StoredObject, options: DeleteOptions): ApiReply {
    const { name, namespace, uid, resourceVersion, finalizers = [] } = live.metadata;
    const { preconditions } = options;
    if (preconditions?.uid !== undefined && preconditions.uid !== uid)
      throw conflict(
        resource,
        name,
        `Precondition failed: UID in precondition: ${preconditions.uid}, UID in object meta: ${uid}`,
      );
    if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion)
      throw conflict(
        resource,
        name,
        `Precondition failed: ResourceVersion in precondition: ${preconditions.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`,
      );
    const grace = this.#graceOf(resource, live, options);
    const remaining = withPropagation(finalizers, options.propagationPolicy);
    const key = keyOf(resource, namespace, name);
    if (options.dryRun) return { status: 200, body: presenter(resource)(live) };
    if (remaining.length === 0 && grace === 0) {
      this.#server.store.remove(resource.storage, key, (version) => ({
        ...live,
        metadata: { ...live.metadata, resourceVersion: version },
      }));
      return { status: 200, body: success(resource, live) };
    }
    if (live.metadata.deletionTimestamp !== undefined && grace >= (live.metadata.deletionGracePeriodSeconds ?? 0))
      return { status: 200, body: presenter(resource)(live) };
    const stored = this.#server.store.put(resource.storage, key, (version) => ({
      ...live,
      metadata: {
        ...live.metadata,
        resourceVersion: version,
        deletionTimestamp: timestamp(this.#server.clock.now() + grace * 1000),
        deletionGracePeriodSeconds: grace,
        ...(live.metadata.generation !== undefined && { generation: live.metadata.generation + 1 }),
        ...(remaining.length > 0 && { finalizers: remaining }),
      },
    }));
    return { status: 200, body: presenter(resource)(stored) };
  }

  /** Pods get time to end; everything else goes at once. */
  #graceOf(resource: ServerResource, live: StoredObject, options: DeleteOptions): number {
    if (resource.storage !== 'pods') return 0;
    const spec = isObject(live['spec']) ? live['spec'] : {};
    const own = typeof spec['terminationGracePeriodSeconds'] === 'number' ? spec['terminationGracePeriodSeconds'] : 30;
    return spec['nodeName'] === undefined || spec['nodeName'] === '' ? 0 : (options.gracePeriodSeconds ?? own);
  }
}

function optionsOf(request: ApiRequest): DeleteOptions {
  const body = isObject(request.body) ? (request.body as DeleteOptions) : {};
  return { ...body, ...request.options, ...(Array.isArray((body as { dryRun?: unknown }).dryRun) && { dryRun: true }) };
}

function withPropagation(finalizers: readonly string[], policy: DeleteOptions['propagationPolicy']): readonly string[] {
  if (policy === undefined) return finalizers;
  const others = finalizers.filter((finalizer) => finalizer !== 'orphan' && finalizer !== 'foregroundDeletion');
  if (policy === 'Orphan') return [...others, 'orphan'];
  return policy === 'Foreground' ? [...others, 'foregroundDeletion'] : others;
}

function success(resource: ServerResource, live: StoredObject): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: live.metadata.name,
      ...(resource.group !== '' && { group: resource.group }),
      kind: resource.plural,
      uid: live.metadata.uid,
    },
  };
}
