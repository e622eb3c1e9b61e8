import { sameJson } from '@ordinal/client';
import { applyTracked, trackWrite, withoutManagers } from '../apply/field-manager.ts';
import type { AdmissionAttributes } from '../admission/attributes.ts';
import { checkClaimGrowth } from '../admission/claim-growth.ts';
import { checkLimits } from '../admission/limit-range.ts';
import { checkQuotas } from '../admission/resource-quota.ts';
import { mutateByPolicies, mutatingWorld } from '../admission/mutating-policies.ts';
import { mutate, validate } from '../admission/webhooks.ts';
import type { Steps } from '../admission/steps.ts';
import { attributesOf } from '../authorization/attributes.ts';
import { checkEscalation } from '../authorization/escalation.ts';
import { checkPermission } from '../authorization/check.ts';
import { metadataOf } from '../kinds/metadata-rules.ts';
import type { KindModel } from '../kinds/model.ts';
import { part, without } from '../kinds/spec.ts';
import { isObject } from '../object.ts';
import type { StoredObject } from '../object.ts';
import { jsonPatch } from '../patch/json-patch.ts';
import { mergePatch } from '../patch/merge-patch.ts';
import { strategicMergePatch } from '../patch/strategic.ts';
import type { ApiReply, ApiRequest, JsonObject } from '../request.ts';
import { kept, shown, store } from '../custom/conversion.ts';
import type { Kept } from '../custom/conversion.ts';
import type { ServerResource } from '../resources/resource.ts';
import { keyOf, liveObject, nameOf, resourceOf } from '../resources/target.ts';
import type { ApiServer } from '../server.ts';
import { wrong } from '../kinds/causes.ts';
import {
  Refusal,
  badRequest,
  conflict,
  invalid,
  modifiedMeanwhile,
  notSimulated,
  unsupportedPatch,
} from '../status.ts';
import { decodeStrictly, inNamespace, objectOf } from './body.ts';
import { scaleOf } from '../subresources/scale-form.ts';
import { checkApplied, create, createApplied } from './create.ts';
import { isReleased } from './deletion.ts';
import { WriteScope } from './write-scope.ts';

/** Computes the wanted object from the live one, with its managed fields. */
type Next = (live: JsonObject) => Steps<JsonObject>;

/** How often a change is tried again when something else changed the object while webhooks were asked. */
const attempts = 5;

/** Replaces an object by the request's body. */
export function* update(server: ApiServer, request: ApiRequest): Steps<ApiReply> {
  const resource = resourceOf(server.resources, request, 'update');
  const scope = new WriteScope(server, request, resource);
  const name = nameOf(request);
  const body = objectOf(server.resources, resource, request);
  const decoded = inNamespace(resource, decodeStrictly(scope.model, body, scope), request.namespace);
  const metadata = metadataOf(decoded);
  if (metadata['name'] !== undefined && metadata['name'] !== '' && metadata['name'] !== name)
    throw badRequest(
      `the name of the object (${String(metadata['name'])}) does not match the name on the URL (${name})`,
    );
  const object = { ...decoded, metadata: { ...metadata, name } };
  const live = server.store.get(resource.storage, keyOf(resource, request.namespace, name));
  if (live === undefined && scope.model.createsOnUpdate) {
    checkPermission(server, { ...attributesOf(request), verb: 'create' });
    return yield* create(server, request);
  }
  return yield* change(scope, {
    checksUid: true,
    next: (stored) => scope.tracked((writer) => trackWrite(writer, { live: stored, next: object }, false)),
  });
}

function checkName(given: unknown, name: string): void {
  if (given !== name)
    throw badRequest(`the name of the object (${String(given)}) does not match the name on the URL (${name})`);
}

/** Changes an object by a patch. `endpoint` names the subresource that managed fields are kept under, where it is not the request's. */
export function* patch(server: ApiServer, request: ApiRequest, endpoint?: string): Steps<ApiReply> {
  const resource = resourceOf(server.resources, request, 'patch');
  const scope = new WriteScope(server, request, resource, endpoint);
  const next = function* (live: JsonObject): Steps<JsonObject> {
    const patched = patchedObject(scope, live);
    // A merge patch that is null, and a JSON patch of the whole object.
    if (!isObject(patched)) throw badRequest('Invalid JSON Patch');
    checkName(metadataOf(patched)['name'], nameOf(request));
    // A number of replicas is all that a Scale changes; defaults come with no such write.
    const decoded = endpoint === 'scale' ? patched : decodePatched(scope, patched);
    const tracked = yield* scope.tracked((writer) => trackWrite(writer, { live, next: decoded }, false));
    return endpoint === 'scale' ? withoutScalers(tracked) : tracked;
  };
  return yield* change(scope, { checksUid: false, next });
}

/** The patched object as its kind reads it. What it can't read is the patch's fault: 422. */
function decodePatched(scope: WriteScope, patched: JsonObject): JsonObject {
  try {
    return decodeStrictly(scope.model, patched, scope);
  } catch (error) {
    if (!(error instanceof Refusal) || error.status.code !== 400) throw error;
    const why = error.message.replace(/^.*? cannot be handled as a \w+: /, '');
    throw invalid({ group: '', kind: '' }, '', [wrong('patch', JSON.stringify(patched), why)]);
  }
}

/** No replicas are no field of a Scale, so that a client that scales to zero does not own them. */
function withoutScalers(object: JsonObject): JsonObject {
  const metadata = metadataOf(object);
  const { managedFields } = metadata;
  if (part(object, 'spec')['replicas'] !== 0 || !Array.isArray(managedFields)) return object;
  return {
    ...object,
    metadata: {
      ...metadata,
      managedFields: managedFields.filter(({ subresource }: JsonObject) => subresource !== 'scale'),
    },
  };
}

function patchedObject({ request, model, resource }: WriteScope, live: JsonObject): unknown {
  switch (request.patchType) {
    case 'json':
      return jsonPatch(live, request.body);
    case 'merge':
      return mergePatch(live, request.body);
    default:
      if (resource.custom)
        throw unsupportedPatch([
          'application/json-patch+json',
          'application/merge-patch+json',
          'application/apply-patch+yaml',
        ]);
      return strategicMergePatch(model.type, live, request.body);
  }
}

/** Applies a configuration, server-side. */
export function* apply(server: ApiServer, request: ApiRequest): Steps<ApiReply> {
  const resource = resourceOf(server.resources, request, 'patch');
  const scope = new WriteScope(server, request, resource);
  if (request.options?.fieldManager === undefined || request.options.fieldManager === '')
    throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [
      { reason: 'FieldValueRequired', message: 'Required value: is required for apply patch', field: 'fieldManager' },
    ]);
  const applied = appliedObject(scope);
  const live = server.store.get(resource.storage, keyOf(resource, request.namespace, nameOf(request)));
  if (live === undefined && request.subresource === undefined) {
    checkIsNew(scope, applied);
    // What can't be created can't be applied either.
    resourceOf(server.resources, request, 'create');
    checkPermission(server, { ...attributesOf(request), verb: 'create' });
    return yield* createApplied(scope, applied);
  }
  const force = request.options.force === true;
  const next = function* (stored: JsonObject): Steps<JsonObject> {
    const merged = yield* scope.tracked((writer) =>
      applyTracked(writer, { live: stored, applied, force }, scope.model.empty),
    );
    // Defaults come with a change only: without one, the object stays as it is shown.
    return sameJson(withoutManagers(merged), withoutManagers(stored)) ? merged : decodeTracked(scope.model, merged);
  };
  return yield* change(scope, { checksUid: false, next });
}

/** A uid means an object that is there: where it has gone, it is not made again. */
function checkIsNew({ resource, request }: WriteScope, applied: JsonObject): void {
  const { uid } = metadataOf(applied);
  if (uid === undefined || uid === '') return;
  const cause = `uid mismatch: the provided object specified uid ${String(uid)}, and no existing object was found`;
  throw conflict(resource, nameOf(request), cause);
}

function appliedObject(scope: WriteScope): JsonObject {
  const { request, resource } = scope;
  checkTyped(request.body);
  const body = objectOf(scope.server.resources, resource, request);
  const metadata = metadataOf(body);
  const name = nameOf(request);
  if (metadata['managedFields'] !== undefined && metadata['managedFields'] !== null)
    throw badRequest('metadata.managedFields must be nil');
  if (metadata['name'] !== undefined) checkName(metadata['name'], name);
  const named = { ...body, metadata: { ...metadata, name } };
  checkApplied(scope, named);
  const applied = inNamespace(resource, named, request.namespace);
  decodeStrictly(scope.model, applied, scope);
  return applied;
}

/** What is applied says itself what it is. */
function checkTyped(body: unknown): void {
  const { apiVersion = '', kind = '' } = isObject(body) ? body : {};
  if (apiVersion !== '' && kind !== '') return;
  const [group, version] = String(apiVersion).includes('/') ? String(apiVersion).split('/') : ['', String(apiVersion)];
  throw badRequest(`invalid object type: ${group}/${version}, Kind=${String(kind)}`);
}

interface Change {
  readonly next: Next;
  /** Whether a uid in the object is a precondition, as in updates, or has to stay, as in patches. */
  readonly checksUid: boolean;
}

function* change(scope: WriteScope, { next, checksUid }: Change): Steps<ApiReply> {
  const { server, resource, request } = scope;
  for (let attempt = 1; ; attempt += 1) {
    const live = liveObject(server.store, resource, request);
    // It has all the metadata of a stored object.
    const presented = (yield* shown(server, resource, live)) as unknown as StoredObject;
    const wanted = yield* next(presented as unknown as JsonObject);
    checkPreconditions(scope, { live, wanted, checksUid });
    const final = yield* admitted(scope, { live: presented, wanted: withLiveMetadata(wanted, live) });
    const stored = yield* kept(server, resource, final);
    const now = server.store.get(resource.storage, keyOf(resource, request.namespace, nameOf(request)));
    if (now === live) return yield* commit(scope, { live, presented, final, kept: stored });
    if (attempt === attempts) throw conflict(resource, nameOf(request), modifiedMeanwhile);
  }
}

function checkPreconditions(
  { resource, model }: WriteScope,
  {
    live,
    wanted,
    checksUid,
  }: { readonly live: StoredObject; readonly wanted: JsonObject; readonly checksUid: boolean },
): void {
  const { resourceVersion, uid } = metadataOf(wanted);
  const { name } = live.metadata;
  if (checksUid && uid !== undefined && uid !== '' && uid !== live.metadata.uid)
    throw conflict(
      resource,
      name,
      `StorageError: invalid object, Code: 4, Key: ${storageKey(resource, live)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${String(uid)}, UID in object meta: ${live.metadata.uid}`,
    );
  if (resourceVersion === undefined || resourceVersion === '') {
    if (model.requiresVersion && checksUid)
      throw invalid({ group: resource.group, kind: resource.plural }, name, [
        {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: 0: must be specified for an update',
          field: 'metadata.resourceVersion',
        },
      ]);
  } else if (resourceVersion !== live.metadata.resourceVersion) throw conflict(resource, name, modifiedMeanwhile);
}

/** Where etcd keeps an object, as the server's own errors name it. */
function storageKey({ custom, group, plural }: ServerResource, { metadata }: StoredObject): string {
  const prefix = custom ? `${group}/${plural}` : plural === 'services' ? 'services/specs' : plural;
  return `/registry/${prefix}/${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}

/** What the author may leave out is taken from the live object. */
function withLiveMetadata(wanted: JsonObject, live: StoredObject): JsonObject {
  const { deletionTimestamp, deletionGracePeriodSeconds, generation, name, namespace, uid, creationTimestamp } =
    live.metadata;
  const metadata = without(metadataOf(wanted), 'generation');
  return {
    ...wanted,
    metadata: {
      uid,
      creationTimestamp,
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(deletionGracePeriodSeconds !== undefined && { deletionGracePeriodSeconds }),
      ...metadata,
      name,
      ...(namespace !== undefined && { namespace }),
      resourceVersion: live.metadata.resourceVersion,
      ...(generation !== undefined && { generation }),
    },
  };
}

/** A write of how many replicas are wanted, as webhooks see it: they are asked about a Scale. */
function asScale(attributes: AdmissionAttributes, live: StoredObject): AdmissionAttributes {
  const { resource } = attributes;
  return {
    ...attributes,
    subresource: 'scale',
    objectKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    object: scaleOf(resource, attributes.object as unknown as StoredObject),
    // It is only shown.
    oldObject: scaleOf(resource, live) as unknown as StoredObject,
  };
}

function* askedOfScale(
  { server }: WriteScope,
  attributes: AdmissionAttributes,
  { live, wanted }: { readonly live: StoredObject; readonly wanted: JsonObject },
): Steps<JsonObject> {
  const asked = asScale(attributes, live);
  if ((yield* mutate(server.store, asked)) !== asked.object)
    throw notSimulated('a change of the scale subresource by a mutating webhook');
  return wanted;
}

function* admitted(
  scope: WriteScope,
  { live, wanted }: { readonly live: StoredObject; readonly wanted: JsonObject },
): Steps<JsonObject> {
  const { server, resource, model } = scope;
  const { name } = live.metadata;
  const attributes = scope.attributes({ operation: 'UPDATE', name, object: wanted, oldObject: live });
  const byPolicies =
    scope.endpoint === 'scale' ? wanted : (mutateByPolicies(mutatingWorld(server), attributes) ?? wanted);
  const mutated =
    scope.endpoint === 'scale'
      ? yield* askedOfScale(scope, attributes, { live, wanted })
      : ((yield* mutate(server.store, { ...attributes, object: byPolicies })) ?? byPolicies);
  const read = mutated === wanted ? wanted : model.decode(mutated).object;
  const { user } = attributes;
  const namespace = scope.request.namespace ?? '';
  checkEscalation(server, { user, resource, namespace, pathName: name, object: read, live });
  const draft = model.prepareForUpdate(read, live, scope.context);
  const causes = model.validateUpdate(draft, live, scope.context);
  if (causes.length > 0) throw scope.refusal(invalid(resource, live.metadata.name, causes));
  const asked = { ...attributes, object: draft };
  checkLimits(server, asked);
  checkClaimGrowth(server, asked);
  yield* validate(server, scope.endpoint === 'scale' ? asScale(asked, live) : asked);
  if (scope.endpoint !== 'scale') checkQuotas(server, asked);
  if (metadataOf(draft)['generation'] !== live.metadata.generation) scope.warn(model.warnings(draft));
  return decodeTracked(model, draft);
}

/** The object as its kind reads it. Its managed fields, which the server itself has written, need no reading. */
function decodeTracked(model: KindModel, object: JsonObject): JsonObject {
  const { managedFields } = metadataOf(object);
  const decoded = model.stored(model.decode(withoutManagers(object)).object);
  return { ...decoded, metadata: { ...metadataOf(decoded), ...(managedFields !== undefined && { managedFields }) } };
}

const asJson = (object: StoredObject): JsonObject => object as unknown as JsonObject;

/** Managed fields without their times. */
const withoutTimes = (object: JsonObject): unknown => {
  const { managedFields } = metadataOf(object);
  return Array.isArray(managedFields)
    ? managedFields.map((entry: JsonObject) => without(entry, 'time'))
    : managedFields;
};

/** A write when all has been looked at: the object as it was, in the store and as the request's version shows it, and as it is to be, likewise. */
interface Outcome {
  readonly live: StoredObject;
  readonly presented: StoredObject;
  readonly final: JsonObject;
  readonly kept: Kept;
}

/** What is stored already, where a write says nothing else: a new time alone is no change. */
function unchanged({ server, resource }: WriteScope, outcome: Outcome): StoredObject | undefined {
  const { live, presented, final, kept: next } = outcome;
  // Of custom kinds, another storage version is a change. Built-in kinds are all kept in one form.
  const [before, after] = resource.custom ? [live, next.raw] : [presented, final];
  const was = server.rawObjects.get(live) ?? (before as unknown as JsonObject);
  const isSame =
    sameJson(withoutManagers(after), withoutManagers(was)) && sameJson(withoutTimes(after), withoutTimes(was));
  return isSame ? before : undefined;
}

function* commit(scope: WriteScope, outcome: Outcome): Steps<ApiReply> {
  const { server, resource, request } = scope;
  const { live, presented, final } = outcome;
  const key = keyOf(resource, request.namespace, live.metadata.name);
  const done = (body: JsonObject): ApiReply => ({ status: 200, body, warnings: scope.warnings });
  const same = unchanged(scope, outcome);
  if (same !== undefined && !isReleased(live) && !server.defaultedWhenRead.has(live))
    return done(presented as unknown as JsonObject);
  // It was built from a stored object, and has all of its metadata.
  const next = same ?? (outcome.kept.object as unknown as StoredObject);
  if (scope.dryRun) return done(outcome.kept.object === final ? final : yield* shown(server, resource, next));
  if (isReleased(next)) {
    // Watches see the object as it was stored last; the reply shows what was asked for.
    const { resourceVersion } = server.erase(resource, key, live).metadata;
    const asked = same === undefined ? final : (presented as unknown as JsonObject);
    return done({ ...asked, metadata: { ...metadataOf(asked), resourceVersion } });
  }
  const stored = store(
    server,
    resource,
    same === undefined ? outcome.kept : { object: asJson(same), raw: asJson(same) },
  );
  return done(yield* shown(server, resource, stored));
}
