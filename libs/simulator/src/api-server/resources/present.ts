import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { ServerResource } from './resource.ts';
import { convertAutoscaler } from './autoscaler-forms.ts';
import { convertEvent } from './event-forms.ts';
import { groupVersion } from './resource.ts';
import { without } from '../kinds/spec.ts';

/** Kinds whose versions differ in more than their name, by where they are kept. */
const conversions: Readonly<Record<string, ((object: JsonObject, apiVersion: string) => JsonObject) | undefined>> = {
  events: convertEvent,
  'horizontalpodautoscalers.autoscaling': convertAutoscaler,
};

/** Items of a list do not repeat the list's kind, except those of custom kinds. */
export function itemPresenter(resource: ServerResource): (object: StoredObject) => JsonObject {
  if (resource.custom) return presenter(resource);
  const present = presenter(resource);
  return (object) => without(present(object), 'apiVersion', 'kind');
}

/** Shows stored objects in the version that was asked for. */
export function presenter(resource: ServerResource): (object: StoredObject) => JsonObject {
  const apiVersion = groupVersion(resource);
  const convert = conversions[resource.storage];
  if (convert !== undefined)
    return (object) =>
      object.apiVersion === apiVersion
        ? (object as unknown as JsonObject)
        : convert(object as unknown as JsonObject, apiVersion);
  return (object) => (object.apiVersion === apiVersion ? (object as unknown as JsonObject) : { ...object, apiVersion });
}
