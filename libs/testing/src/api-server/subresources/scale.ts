import type { Steps } from '../admission/steps.ts';
import { metadataOf } from '../kinds/metadata-rules.ts';
import { items, part } from '../kinds/spec.ts';
import { isObject } from '../object.ts';
import type { StoredObject } from '../object.ts';
import { jsonPatch } from '../patch/json-patch.ts';
import { mergePatch } from '../patch/merge-patch.ts';
import type { ApiReply, ApiRequest, JsonObject } from '../request.ts';
import { liveObject, resourceOf } from '../resources/target.ts';
import type { ServerResource } from '../resources/resource.ts';
import type { ApiServer } from '../server.ts';
import { badRequest, conflict, methodNotAllowed, modifiedMeanwhile } from '../status.ts';
import { patch } from '../verbs/change.ts';

const steps = (path: string): readonly string[] => path.split('.').filter((step) => step !== '');

function valueAt(object: unknown, path: string): unknown {
  return steps(path).reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), object);
}

/** A merge patch that sets one field. */
function patchOf(path: string, value: unknown): JsonObject {
  return [...steps(path)].reverse().reduce<unknown>((inner, step) => ({ [step]: inner }), value) as JsonObject;
}

/** A label selector as text, as the scale subresource shows it. */
export function selectorText(selector: unknown): string | undefined {
  if (typeof selector === 'string') return selector === '' ? undefined : selector;
  if (!isObject(selector)) return undefined;
  const labels = Object.entries(part(selector, 'matchLabels')).map(([key, value]) => ({
    key,
    text: `${key}=${String(value)}`,
  }));
  const expressions = items(selector['matchExpressions']).map((expression) => ({
    key: String(expression['key']),
    text: expressionText(expression),
  }));
  const all = [...labels, ...expressions].sort((left, right) => (left.key < right.key ? -1 : 1));
  return all.map(({ text }) => text).join(',');
}

function expressionText(expression: JsonObject): string {
  const key = String(expression['key']);
  const values = (Array.isArray(expression['values']) ? expression['values'].map(String) : []).sort().join(',');
  switch (expression['operator']) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'Exists':
      return key;
    default:
      return `!${key}`;
  }
}

function scaleOf(resource: ServerResource, object: StoredObject): JsonObject {
  const { scale } = resource;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = Number(valueAt(object, scale?.specReplicasPath ?? '') ?? 0);
  const selector = selectorText(valueAt(object, scale?.labelSelectorPath ?? ''));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: Number(valueAt(object, scale?.statusReplicasPath ?? '') ?? 0),
      ...(selector !== undefined && { selector }),
    },
  };
}

/** Reads or writes how many replicas are wanted, in the same form for all kinds. */
export function* scale(server: ApiServer, request: ApiRequest): Steps<ApiReply> {
  const resource = resourceOf(server.resources, request, request.verb === 'get' ? 'get' : 'update');
  const live = liveObject(server.store, resource, request);
  const current = scaleOf(resource, live);
  if (request.verb === 'get') return { status: 200, body: current };
  const wanted = wantedScale(request, current, resource);
  const { resourceVersion } = metadataOf(wanted);
  if (
    typeof resourceVersion === 'string' &&
    resourceVersion !== '' &&
    resourceVersion !== live.metadata.resourceVersion
  )
    throw conflict(resource, live.metadata.name, modifiedMeanwhile);
  const replicas = Number(part(wanted, 'spec')['replicas'] ?? 0);
  const changed = yield* patch(
    server,
    {
      ...withoutSubresource(request),
      verb: 'patch',
      patchType: 'merge',
      body: patchOf(resource.scale?.specReplicasPath ?? '', replicas),
    },
    'scale',
  );
  return changed.status >= 300
    ? changed
    : { status: 200, body: scaleOf(resource, changed.body as unknown as StoredObject) };
}

function wantedScale(request: ApiRequest, current: JsonObject, resource: ServerResource): JsonObject {
  const wanted = request.verb === 'update' ? request.body : scalePatch(request, current, resource);
  if (!isObject(wanted)) throw badRequest('the scale has to be an object');
  return wanted;
}

function scalePatch(request: ApiRequest, current: JsonObject, resource: ServerResource): unknown {
  if (request.verb !== 'patch') throw methodNotAllowed(resource, request.verb);
  return request.patchType === 'json' ? jsonPatch(current, request.body) : mergePatch(current, request.body);
}

/** The request as one about the object itself. */
function withoutSubresource(request: ApiRequest): ApiRequest {
  const { user, userAgent, verb, resource, namespace, name, options } = request;
  return {
    verb,
    resource,
    ...(user && { user }),
    ...(userAgent !== undefined && { userAgent }),
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(options && { options }),
  };
}
