import { isObject } from '../object.ts';
import type { ApiRequest, JsonObject } from '../request.ts';
import type { ServerResource } from '../resources/resource.ts';
import { groupVersion } from '../resources/resource.ts';
import type { KindModel } from '../kinds/model.ts';
import { metadataOf } from '../kinds/metadata-rules.ts';
import { wrong } from '../kinds/causes.ts';
import { badRequest, invalid } from '../status.ts';
import type { Refusal } from '../status.ts';
import { without } from '../kinds/spec.ts';

/** The object in a request's body. Refuses what is none, or of another kind, with 400. */
export function objectOf(resource: ServerResource, request: ApiRequest): JsonObject {
  if (!isObject(request.body)) throw badRequest('the object provided is unrecognized (must be of type JSON)');
  const expected = groupVersion(resource);
  const { apiVersion, kind } = request.body;
  if (resource.custom && kind !== undefined && kind !== resource.kind) throw otherKind(resource, request.body);
  if (kind !== undefined && kind !== resource.kind)
    throw badRequest(
      `${String(kind)} in version "${resource.version}" cannot be handled as a ${resource.kind}: converting (v1.${String(kind)}) to (${internalGroup(resource)}.${resource.kind}): unknown conversion`,
    );
  if (apiVersion !== undefined && apiVersion !== expected)
    throw badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${expected})`,
    );
  return apiVersion === undefined || kind === undefined
    ? { ...request.body, apiVersion: expected, kind: resource.kind }
    : request.body;
}

function otherKind({ group, kind }: ServerResource, body: JsonObject): Refusal {
  const name = metadataOf(body)['name'];
  const given = String(body['kind']);
  return invalid({ group, kind: given }, typeof name === 'string' ? name : '', [
    wrong('kind', given, `must be ${kind}`),
  ]);
}

const internalGroup = ({ group }: ServerResource): string => (group === '' ? 'core' : (group.split('.')[0] ?? group));

/** The object as its kind reads it. Unknown fields are refused with 400 when validation is strict, and warned of otherwise. */
export function decodeStrictly(
  model: KindModel,
  object: JsonObject,
  options: {
    readonly validation: string | undefined;
    readonly resource: ServerResource;
    readonly warn: (texts: readonly string[]) => void;
  },
): JsonObject {
  const decoded = model.decode(object);
  if (decoded.unknown.length === 0 || options.validation === 'Ignore') return decoded.object;
  const problems = decoded.unknown.map((path) => `unknown field "${path}"`);
  if (options.validation === 'Strict') {
    const { kind, version } = options.resource;
    throw badRequest(
      `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${problems.join(', ')}`,
    );
  }
  options.warn(problems);
  return decoded.object;
}

/** The object in the namespace of the request. Refuses another one with 400. */
export function inNamespace(resource: ServerResource, object: JsonObject, namespace: string | undefined): JsonObject {
  const metadata = metadataOf(object);
  const given = metadata['namespace'];
  if (!resource.namespaced) {
    if (given === undefined || given === '') return object;
    return { ...object, metadata: without(metadata, 'namespace') };
  }
  if (given !== undefined && given !== '' && given !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  return given === namespace ? object : { ...object, metadata: { ...metadata, namespace } };
}

/** Who manages the fields of a write: the named manager, or what calls. */
export function managerOf(request: ApiRequest): string {
  const named = request.options?.fieldManager;
  if (named !== undefined && named !== '') return named;
  return (request.userAgent ?? 'unknown').split('/')[0]?.slice(0, 128) ?? 'unknown';
}
