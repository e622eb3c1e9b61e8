import type { ApiReply, ApiRequest, JsonObject } from '../request.ts';
import type { ApiServer } from '../server.ts';
import type { DeleteVerbs } from './delete.ts';
import type { StoredObject } from '../object.ts';
import { equalJson, isObject } from '../object.ts';
import type { ServerResource } from '../resources/resource.ts';
import { groupVersion } from '../resources/resource.ts';
import { keyOf, liveObject, nameOf, resourceOf } from '../resources/target.ts';
import { presenter } from '../resources/present.ts';
import { alreadyExists, badRequest, conflict, forbidden, invalid, modifiedMeanwhile, notSimulated } from '../status.ts';
import { generatedName, timestamp, uid } from '../metadata.ts';
import { mergePatch } from '../patch/merge-patch.ts';
import { jsonPatch } from '../patch/json-patch.ts';

/** `create`, `update`, `patch` and `apply`. */
export class WriteVerbs {
  readonly #server: ApiServer;
  readonly #deletes: DeleteVerbs;

  constructor(server: ApiServer, deletes: DeleteVerbs) {
    this.#server = server;
    this.#deletes = deletes;
  }

  create(request: ApiRequest): ApiReply {
    const resource = resourceOf(this.#server.resources, request, 'create');
    const body = bodyOf(resource, request);
    const metadata = isObject(body['metadata']) ? body['metadata'] : {};
    const name = this.#nameFor(metadata);
    const key = keyOf(resource, request.namespace, name);
    if (this.#server.store.get(resource.storage, key) !== undefined) throw alreadyExists(resource, name);
    this.#refuseInTerminatingNamespace(resource, request, name);
    const { status: _, ...content } = body;
    const object = {
      ...(resource.subresources.has('status') ? content : body),
      metadata: {
        ...metadata,
        name,
        ...(resource.namespaced && { namespace: request.namespace }),
        uid: uid(this.#server.random),
        creationTimestamp: timestamp(this.#server.clock.now()),
        generation: 1,
      },
    } as unknown as StoredObject;
    if (request.options?.dryRun) return { status: 201, body: object as unknown as JsonObject };
    const stored = this.#server.store.put(resource.storage, key, (resourceVersion) => ({
      ...object,
      metadata: { ...object.metadata, resourceVersion },
    }));
    return { status: 201, body: presenter(resource)(stored) };
  }

  update(request: ApiRequest): ApiReply {
    const resource = resourceOf(this.#server.resources, request, 'update');
    return this.#change(resource, request, () => bodyOf(resource, request));
  }

  patch(request: ApiRequest): ApiReply {
    const resource = resourceOf(this.#server.resources, request, 'patch');
    return this.#change(resource, request, (live) => {
      const patched = request.patchType === 'json' ? jsonPatch(live, request.body) : mergePatch(live, request.body);
      if (!isObject(patched)) throw badRequest('the patch does not leave an object');
      return patched;
    });
  }

  apply(request: ApiRequest): ApiReply {
    const resource = resourceOf(this.#server.resources, request, 'patch');
    const live = this.#server.store.get(resource.storage, keyOf(resource, request.namespace, nameOf(request)));
    const body = bodyOf(resource, request);
    if (live === undefined) return this.create({ ...request, verb: 'create', body: withName(body, nameOf(request)) });
    return this.#change(resource, request, (object) => mergePatch(object, body) as JsonObject);
  }

  #change(resource: ServerResource, request: ApiRequest, next: (live: StoredObject) => JsonObject): ApiReply {
    const live = liveObject(this.#server.store, resource, request);
    const name = nameOf(request);
    if (request.subresource !== undefined && request.subresource !== 'status')
      throw notSimulated(`the subresource ${request.subresource}`);
    const wanted = next(live);
    const metadata = isObject(wanted['metadata']) ? wanted['metadata'] : {};
    if (
      metadata['resourceVersion'] !== undefined &&
      metadata['resourceVersion'] !== '' &&
      metadata['resourceVersion'] !== live.metadata.resourceVersion
    )
      throw conflict(resource, name, modifiedMeanwhile);
    if (metadata['uid'] !== undefined && metadata['uid'] !== live.metadata.uid)
      throw conflict(
        resource,
        name,
        `Precondition failed: UID in precondition: ${String(metadata['uid'])}, UID in object meta: ${live.metadata.uid}`,
      );
    const merged = combine(resource, request.subresource, { live, wanted });
    if (equalJson(merged, live)) return { status: 200, body: presenter(resource)(live) };
    if (live.metadata.deletionTimestamp !== undefined) refuseNewFinalizers(resource, live, merged);
    const generation = equalJson(specOf(merged), specOf(live))
      ? live.metadata.generation
      : (live.metadata.generation ?? 0) + 1;
    const final = { ...merged, metadata: { ...merged.metadata, ...(generation !== undefined && { generation }) } };
    if (request.options?.dryRun) return { status: 200, body: presenter(resource)(final) };
    const key = keyOf(resource, request.namespace, name);
    if (this.#deletes.isReleased(final)) return this.#deletes.remove(resource, key, final);
    const stored = this.#server.store.put(resource.storage, key, (resourceVersion) => ({
      ...final,
      metadata: { ...final.metadata, resourceVersion },
    }));
    return { status: 200, body: presenter(resource)(stored) };
  }

  #nameFor(metadata: JsonObject): string {
    if (typeof metadata['name'] === 'string' && metadata['name'] !== '') return metadata['name'];
    if (typeof metadata['generateName'] === 'string' && metadata['generateName'] !== '')
      return generatedName(metadata['generateName'], this.#server.random);
    throw badRequest('name or generateName is required');
  }

  #refuseInTerminatingNamespace(resource: ServerResource, request: ApiRequest, name: string): void {
    if (!resource.namespaced || request.namespace === undefined) return;
    const namespace = this.#server.store.get('namespaces', request.namespace);
    if (namespace?.metadata.deletionTimestamp !== undefined)
      throw forbidden(
        resource,
        name,
        `unable to create new content in namespace ${request.namespace} because it is being terminated`,
      );
  }
}

function bodyOf(resource: ServerResource, request: ApiRequest): JsonObject {
  if (!isObject(request.body)) throw badRequest('the body has to be an object');
  const expected = groupVersion(resource);
  const { apiVersion, kind } = request.body;
  if (apiVersion !== expected || kind !== resource.kind)
    throw badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${expected})`,
    );
  return request.body;
}

const withName = (body: JsonObject, name: string): JsonObject => ({
  ...body,
  metadata: { ...(isObject(body['metadata']) ? body['metadata'] : {}), name },
});

function combine(
  resource: ServerResource,
  subresource: string | undefined,
  { live, wanted }: { live: StoredObject; wanted: JsonObject },
): StoredObject {
  const metadata = isObject(wanted['metadata']) ? wanted['metadata'] : {};
  if (subresource === 'status') return { ...live, status: wanted['status'] } as StoredObject;
  const system = {
    name: live.metadata.name,
    ...(live.metadata.namespace !== undefined && { namespace: live.metadata.namespace }),
    uid: live.metadata.uid,
    resourceVersion: live.metadata.resourceVersion,
    creationTimestamp: live.metadata.creationTimestamp,
    ...(live.metadata.generation !== undefined && { generation: live.metadata.generation }),
    ...(live.metadata.deletionTimestamp !== undefined && { deletionTimestamp: live.metadata.deletionTimestamp }),
    ...(live.metadata.deletionGracePeriodSeconds !== undefined && {
      deletionGracePeriodSeconds: live.metadata.deletionGracePeriodSeconds,
    }),
  };
  const status = resource.subresources.has('status') ? live['status'] : wanted['status'];
  const { status: _, ...content } = wanted;
  // The parts were put together to be a whole object.
  return {
    ...content,
    metadata: { ...metadata, ...system },
    ...(status !== undefined && { status }),
  } as unknown as StoredObject;
}

function refuseNewFinalizers(resource: ServerResource, live: StoredObject, wanted: StoredObject): void {
  const had = new Set(live.metadata.finalizers);
  const added = (wanted.metadata.finalizers ?? []).filter((finalizer) => !had.has(finalizer));
  if (added.length > 0)
    throw invalid(resource, live.metadata.name, [
      {
        reason: 'FieldValueForbidden',
        message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`,
        field: 'metadata.finalizers',
      },
    ]);
}

function specOf({ metadata: _, status: __, ...rest }: StoredObject): unknown {
  return rest;
}
