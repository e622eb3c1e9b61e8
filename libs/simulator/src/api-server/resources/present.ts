import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { ServerResource } from './resource.ts';
import { convertEvent } from './event-forms.ts';
import { groupVersion } from './resource.ts';
import { without } from '../kinds/spec.ts';

/** Items of a list do not repeat the list's kind, except those of custom kinds. */
export function itemPresenter(resource: ServerResource): (object: StoredObject) => JsonObject {
  if (resource.custom) return presenter(resource);
  const present = presenter(resource);
  return (object) => without(present(object), 'apiVersion', 'kind');
}

/** Shows stored objects in the version that was asked for. */
export function presenter(resource: ServerResource): (object: StoredObject) => JsonObject {
  const apiVersion = groupVersion(resource);
  if (resource.storage === 'events')
    return (object) =>
      object.apiVersion === apiVersion
        ? (object as unknown as JsonObject)
        : convertEvent(object as unknown as JsonObject, apiVersion);
  return (object) => (object.apiVersion === apiVersion ? (object as unknown as JsonObject) : { ...object, apiVersion });
}
