import type { Steps } from '../admission/steps.ts';
import { shown } from '../custom/conversion.ts';
import { metadataOf } from '../kinds/metadata-rules.ts';
import { part } from '../kinds/spec.ts';
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
import { scaleOf, steps } from './scale-form.ts';

/** A merge patch that sets one field. */
function patchOf(path: string, value: unknown): JsonObject {
  return [...steps(path)].reverse().reduce<unknown>((inner, step) => ({ [step]: inner }), value) as JsonObject;
}

/** Reads or writes how many replicas are wanted, in the same form for all kinds. */
export function* scale(server: ApiServer, request: ApiRequest): Steps<ApiReply> {
  const resource = resourceOf(server.resources, request, request.verb === 'get' ? 'get' : 'update');
  const stored = liveObject(server.store, resource, request);
  // It keeps the metadata of a stored object.
  const live = (yield* shown(server, resource, stored)) as unknown as StoredObject;
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
