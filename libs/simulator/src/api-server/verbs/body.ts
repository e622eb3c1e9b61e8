import { isObject } from '../object.ts';
import type { ApiRequest, JsonObject } from '../request.ts';
import type { ResourceRegistry, ServerResource } from '../resources/resource.ts';
import { groupVersion } from '../resources/resource.ts';
import type { KindModel } from '../kinds/model.ts';
import { metadataOf } from '../kinds/metadata-rules.ts';
import { wrong } from '../kinds/causes.ts';
import { badRequest, invalid } from '../status.ts';
import type { Refusal } from '../status.ts';
import { without } from '../kinds/spec.ts';
import type { WriteScope } from './write-scope.ts';

/** The object in a request's body. Refuses what is none, or of another kind, with 400. */
export function objectOf(registry: ResourceRegistry, resource: ServerResource, request: ApiRequest): JsonObject {
  if (!isObject(request.body)) throw badRequest('the object provided is unrecognized (must be of type JSON)');
  const expected = groupVersion(resource);
  const { kind = '' } = request.body;
  // An empty group is the core group.
  const apiVersion = String(request.body['apiVersion'] ?? '').replace(/^\//, '');
  if (resource.custom && kind !== '' && kind !== resource.kind) throw otherKind(resource, request.body);
  if (!resource.custom) checkKnown(registry, resource, request.body);
  if (apiVersion !== '' && apiVersion !== expected)
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  return apiVersion !== request.body['apiVersion'] || kind === ''
    ? { ...request.body, apiVersion: expected, kind: resource.kind }
    : request.body;
}

/** Kinds that the server serves no more in these versions, and still reads. */
const formerKinds: ReadonlySet<string> = new Set(
  ['StatefulSet', 'Deployment'].flatMap((kind) => [`apps/v1beta1 ${kind}`, `apps/v1beta2 ${kind}`]),
);

/** A body's kind, in the body's version, has to be one that there is, and one that can become what is expected. */
function checkKnown(registry: ResourceRegistry, resource: ServerResource, body: JsonObject): void {
  const apiVersion = String(body['apiVersion'] ?? '').replace(/^\//, '') || groupVersion(resource);
  const kind = String(body['kind'] ?? '') || resource.kind;
  if (kind === resource.kind && apiVersion === groupVersion(resource)) return;
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const handled = `${kind} in version "${version}" cannot be handled as a ${resource.kind}`;
  if (registry.findKind(group, version, kind) === undefined && !formerKinds.has(`${apiVersion} ${kind}`))
    throw badRequest(
      `${handled}: no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  if (kind !== resource.kind)
    throw badRequest(
      `${handled}: converting (${version}.${kind}) to (${internalGroup(resource)}.${resource.kind}): unknown conversion`,
    );
}

function otherKind({ group, kind }: ServerResource, body: JsonObject): Refusal {
  const name = metadataOf(body)['name'];
  const given = String(body['kind']);
  return invalid({ group, kind: given }, typeof name === 'string' ? name : '', [
    wrong('kind', given, `must be ${kind}`),
  ]);
}

const internalGroup = ({ group }: ServerResource): string => (group === '' ? 'core' : (group.split('.')[0] ?? group));

/** The object as its kind reads it. Unknown fields, and those that are given twice, are refused with 400 when validation is strict, and warned of otherwise. */
export function decodeStrictly(
  model: KindModel,
  object: JsonObject,
  { request, resource, warn }: Pick<WriteScope, 'request' | 'resource' | 'warn'>,
): JsonObject {
  const decoded = model.decode(object);
  const { repeated = [], places } = request;
  const validation = request.options?.fieldValidation;
  if ((decoded.unknown.length === 0 && repeated.length === 0) || validation === 'Ignore') return decoded.object;
  const problems = [...repeated, ...decoded.unknown.map((path) => `unknown field "${path}"`)];
  // Built-in objects are decoded as they are read; fields of custom ones are looked for afterwards.
  if (places !== undefined && !resource.custom)
    problems.sort((left, right) => (places.get(left) ?? 0) - (places.get(right) ?? 0));
  if (validation === 'Strict' && request.verb === 'apply' && repeated.length > 0)
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n${repeated.map((problem) => `  ${problem}`).join('\n')}`,
    );
  if (validation === 'Strict') {
    const { kind, version } = resource;
    throw badRequest(
      `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${problems.join(', ')}`,
    );
  }
  warn(problems);
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
