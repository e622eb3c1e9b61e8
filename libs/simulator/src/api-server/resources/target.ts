import { leftOut } from './left-out.ts';
import { notFound, notSimulated, pathNotFound, methodNotAllowed, badRequest } from '../status.ts';
import type { ApiRequest, WatchRequest } from '../request.ts';
import type { StoredObject } from '../object.ts';
import type { Store } from '../store/store.ts';
import type { ResourceRegistry, ServerResource } from './resource.ts';

/** The kind that a request is about. Refuses unknown kinds with 404, unknown verbs with 405, and what is not simulated with 501. */
export function resourceOf(
  registry: ResourceRegistry,
  request: Pick<ApiRequest | WatchRequest, 'resource'>,
  verb: string,
): ServerResource {
  const resource = registry.find(request.resource);
  if (resource === undefined) throw pathNotFound();
  if (!resource.verbs.includes(verb)) throw methodNotAllowed(resource, verb);
  const missing = leftOut(resource, verb);
  if (missing !== undefined) throw notSimulated(missing);
  return resource;
}

/** Where an object of a kind is kept. */
export function keyOf(resource: ServerResource, namespace: string | undefined, name: string): string {
  return resource.namespaced ? `${namespace ?? ''}/${name}` : name;
}

/** The name in the path. */
export function nameOf(request: ApiRequest): string {
  if (request.name === undefined || request.name === '') throw badRequest('name is required');
  return request.name;
}

/** The object that a request is about, or 404. */
export function liveObject(store: Store, resource: ServerResource, request: ApiRequest): StoredObject {
  const name = nameOf(request);
  const object = store.get(resource.storage, keyOf(resource, request.namespace, name));
  if (object === undefined) throw notFound(resource, name);
  return object;
}
