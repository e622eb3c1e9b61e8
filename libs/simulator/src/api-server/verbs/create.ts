import { timestamp } from '@ordinal/client';
import { applyTracked, trackWrite } from '../apply/field-manager.ts';
import { typeErrors } from '../apply/validate.ts';
import { checkEscalation } from '../authorization/escalation.ts';
import { admitBuiltin } from '../admission/builtin.ts';
import { checkLimits } from '../admission/limit-range.ts';
import { checkQuotas } from '../admission/resource-quota.ts';
import { mutateByPolicies, mutatingWorld } from '../admission/mutating-policies.ts';
import { mutate, validate } from '../admission/webhooks.ts';
import type { Steps } from '../admission/steps.ts';
import { metadataOf } from '../kinds/metadata-rules.ts';
import { generatedName, uid } from '../metadata.ts';
import type { StoredObject } from '../object.ts';
import type { ApiReply, ApiRequest, JsonObject } from '../request.ts';
import { keyOf, resourceOf } from '../resources/target.ts';
import type { ApiServer } from '../server.ts';
import { alreadyExists, invalid, unforeseen } from '../status.ts';
import { kept, shown, store } from '../custom/conversion.ts';
import { decodeStrictly, inNamespace, objectOf } from './body.ts';
import { WriteScope } from './write-scope.ts';
import { without } from '../kinds/spec.ts';

/** Creates the object in the request's body. */
export function* create(server: ApiServer, request: ApiRequest): Steps<ApiReply> {
  const resource = resourceOf(server.resources, request, 'create');
  const scope = new WriteScope(server, request, resource);
  const body = objectOf(server.resources, resource, request);
  const decoded = decodeStrictly(scope.model, body, scope);
  const object = withoutSystemFields(inNamespace(resource, decoded, request.namespace));
  const { model } = scope;
  if (metadataOf(object)['resourceVersion'] !== undefined)
    throw unforeseen('resourceVersion should not be set on objects to be created');
  const tracked = yield* scope.tracked((writer) => trackWrite(writer, { live: model.empty, next: object }, true));
  return yield* createObject(scope, tracked);
}

/** What only the server sets is not the author's to give. */
function withoutSystemFields(object: JsonObject): JsonObject {
  const fields = ['deletionTimestamp', 'deletionGracePeriodSeconds', 'creationTimestamp', 'uid', 'selfLink'];
  return { ...object, metadata: without(metadataOf(object), ...fields) };
}

/** Creates the object that an apply configuration describes. */
export function* createApplied(scope: WriteScope, applied: JsonObject): Steps<ApiReply> {
  const { model } = scope;
  const merged = yield* scope.tracked((writer) =>
    applyTracked(writer, { live: model.empty, applied, force: true }, model.empty),
  );
  const { managedFields } = metadataOf(merged);
  const decoded = model.decode(merged).object;
  const object = inNamespace(scope.resource, decoded, scope.request.namespace);
  return yield* createObject(scope, { ...object, metadata: { ...metadataOf(object), managedFields } });
}

/** Refuses a configuration that is not of the kind's type, as structured-merge-diff does. */
export function checkApplied(scope: WriteScope, applied: JsonObject): void {
  const errors = typeErrors(scope.model.type, applied);
  if (errors.length === 0) return;
  const { name, namespace } = metadataOf(applied);
  const list = errors.length === 1 ? errors[0] : ['errors:', ...errors.map((error) => `  ${error}`)].join('\n');
  const place = `${namespace === undefined ? '' : String(namespace)}/${String(name)}`;
  const { group, version, kind } = scope.resource;
  throw unforeseen(`failed to create typed patch object (${place}; ${group}/${version}, Kind=${kind}): ${list}`);
}

function* createObject(scope: WriteScope, tracked: JsonObject): Steps<ApiReply> {
  const { server, resource, model, request } = scope;
  const named = withName(scope, tracked);
  const name = String(metadataOf(named)['name'] ?? '');
  const attributes = scope.attributes({ operation: 'CREATE', name, object: named, oldObject: undefined });
  const builtin = admitBuiltin(server, attributes);
  const byPolicies = mutateByPolicies(mutatingWorld(server), { ...attributes, object: builtin }) ?? builtin;
  const mutated = (yield* mutate(server.store, { ...attributes, object: byPolicies })) ?? byPolicies;
  const fresh = mutated === builtin ? mutated : redecoded(scope, mutated);
  checkEscalation(server, {
    user: attributes.user,
    resource,
    namespace: request.namespace ?? '',
    pathName: request.name ?? '',
    object: fresh,
  });
  const draft = model.prepareForCreate(withSystemFields(scope, fresh), scope.context);
  const causes = model.validateCreate(draft, scope.context);
  if (causes.length > 0) throw scope.refusal(invalid(resource, String(metadataOf(draft)['name'] ?? ''), causes));
  const asked = { ...attributes, object: draft };
  checkLimits(server, asked);
  yield* validate(server, asked);
  checkQuotas(server, asked);
  scope.warn(model.warnings(draft));
  const key = keyOf(resource, request.namespace, name);
  const final = model.decode(draft).object;
  const next = yield* kept(server, resource, final);
  const existing = server.store.get(resource.storage, key);
  if (existing !== undefined) {
    const why = existing.metadata.deletionTimestamp === undefined ? '' : 'object is being deleted: ';
    throw scope.refusal(alreadyExists(resource, name, why));
  }
  const done = (body: JsonObject): ApiReply => ({ status: 201, body, warnings: scope.warnings });
  // It was built with all the metadata of a stored object.
  if (scope.dryRun)
    return done(next.object === final ? final : yield* shown(server, resource, next.object as unknown as StoredObject));
  const stored = store(server, resource, resource.custom ? next : { ...next, object: model.stored(final) });
  if (model.defaultedWhenRead(draft)) server.defaultedWhenRead.add(stored);
  return done(yield* shown(server, resource, stored));
}

/** What webhooks made of an object is read again as the kind reads it. */
function redecoded(scope: WriteScope, object: JsonObject): JsonObject {
  return scope.model.decode(object).object;
}

function withName({ server }: WriteScope, object: JsonObject): JsonObject {
  const metadata = metadataOf(object);
  const { name, generateName } = metadata;
  if (typeof name === 'string' && name !== '') return object;
  if (typeof generateName !== 'string' || generateName === '') return object;
  return { ...object, metadata: { ...metadata, name: generatedName(generateName, server.random) } };
}

function withSystemFields({ server }: WriteScope, object: JsonObject): JsonObject {
  const metadata = without(metadataOf(object), 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink');
  return {
    ...object,
    metadata: { ...metadata, uid: uid(server.random), creationTimestamp: timestamp(server.clock.now()) },
  };
}
