import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { ServerResource } from './resource.ts';
import { groupVersion } from './resource.ts';

/** Shows stored objects in the version that was asked for. */
export function presenter(resource: ServerResource): (object: StoredObject) => JsonObject {
  const apiVersion = groupVersion(resource);
  return (object) => (object.apiVersion === apiVersion ? (object as unknown as JsonObject) : { ...object, apiVersion });
}
