import { timestamp } from '@ordinal/client';
import type { Steps } from '../admission/steps.ts';
import { mutate, validate } from '../admission/webhooks.ts';
import { wrong } from '../kinds/causes.ts';
import { metadataOf } from '../kinds/metadata-rules.ts';
import { part, specOf } from '../kinds/spec.ts';
import { isObject } from '../object.ts';
import type { StoredObject } from '../object.ts';
import type { ApiReply, ApiRequest, JsonObject } from '../request.ts';
import { liveObject, nameOf } from '../resources/target.ts';
import type { ApiServer } from '../server.ts';
import { badRequest, conflict, invalid, notFound, pathNotFound } from '../status.ts';
import type { FieldCause } from '../status.ts';
import { issuer } from '../tokens/account-tokens.ts';
import type { TokenOrder } from '../tokens/account-tokens.ts';
import { managerOf } from '../verbs/body.ts';
import { WriteScope } from '../verbs/write-scope.ts';

const kind = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
/** The kind as the server names it where it says that a UID is another one. */
const address = { group: kind.group, version: 'v1', plural: kind.kind };
const hour = 3600;
const leastSeconds = 600;
const mostSeconds = 2 ** 32;

/** Issues a token of a service account. */
export function* requestToken(server: ApiServer, request: ApiRequest): Steps<ApiReply> {
  const resource = server.resources.find(request.resource);
  if (resource === undefined) throw pathNotFound();
  const body = isObject(request.body) ? request.body : {};
  const name = nameOf(request);
  const namespace = request.namespace ?? '';
  checkTarget(metadataOf(body), { name, namespace });
  const account = liveObject(server.store, resource, request);
  const { uid } = metadataOf(body);
  if (uid !== undefined && uid !== '' && uid !== account.metadata.uid)
    throw conflict(
      address,
      name,
      `the UID in the token request (${String(uid)}) does not match the UID of the service account (${account.metadata.uid})`,
    );
  const given = specOf(body);
  const audiences = Array.isArray(given['audiences']) ? given['audiences'].map(String) : [];
  const seconds = Number(given['expirationSeconds'] ?? hour);
  const spec = {
    audiences: audiences.length === 0 ? [issuer] : audiences,
    expirationSeconds: seconds,
    boundObjectRef: given['boundObjectRef'] ?? null,
  };
  const causes = causesIn(seconds);
  if (causes.length > 0) throw invalid(kind, '', causes);
  const now = server.clock.now();
  const metadata = {
    ...{ name, namespace, uid: account.metadata.uid, creationTimestamp: timestamp(now) },
    managedFields: [ownership(given, { manager: managerOf(request), time: timestamp(now) })],
  };
  const object = { kind: kind.kind, apiVersion: 'authentication.k8s.io/v1', metadata, spec };
  const scope = new WriteScope(server, request, resource);
  const attributes = scope.attributes({
    operation: 'CREATE',
    name,
    object: { ...object, status: { token: '', expirationTimestamp: null } },
    oldObject: undefined,
    objectKind: { ...kind, version: 'v1' },
  });
  yield* mutate(server.store, attributes);
  yield* validate(server, attributes);
  const bound = boundTo(server, { ref: spec.boundObjectRef, name, namespace });
  const token = server.tokens.issue({ account, audiences: spec.audiences, seconds, ...(bound && { bound }) });
  const status = { token, expirationTimestamp: timestamp(now + seconds * 1000) };
  return { status: 201, body: { ...object, status } };
}

/** Who has given the fields of the request: those that it names, and the time that it gets at the least. */
function ownership(
  given: JsonObject,
  { manager, time }: { readonly manager: string; readonly time: string },
): JsonObject {
  const { audiences, boundObjectRef: ref } = given;
  const fields = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.keys(object).map((name) => [`f:${name}`, {}]));
  const spec = {
    ...(Array.isArray(audiences) && audiences.length > 0 && { 'f:audiences': {} }),
    ...(isObject(ref) && { 'f:boundObjectRef': fields(ref) }),
    'f:expirationSeconds': {},
  };
  const fieldsV1 = { 'f:spec': spec };
  return {
    ...{ manager, operation: 'Update', apiVersion: `${kind.group}/v1`, time },
    ...{ fieldsType: 'FieldsV1', fieldsV1, subresource: 'token' },
  };
}

interface Target {
  readonly name: string;
  readonly namespace: string;
}

/** The body may say whose token it asks for, and not another's. */
function checkTarget(given: JsonObject, { name, namespace }: Target): void {
  const mistaken = (field: 'name' | 'namespace', own: string): boolean =>
    given[field] !== undefined && given[field] !== '' && given[field] !== own;
  if (mistaken('name', name))
    throw invalid(kind, name, [
      wrong('metadata.name', given['name'], 'must match the service account name if specified'),
    ]);
  if (mistaken('namespace', namespace))
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

function causesIn(seconds: number): readonly FieldCause[] {
  const field = 'spec.expirationSeconds';
  if (seconds < leastSeconds) return [wrong(field, seconds, 'may not specify a duration less than 10 minutes')];
  if (seconds > mostSeconds) return [wrong(field, seconds, 'may not specify a duration larger than 2^32 seconds')];
  return [];
}

/** The object that the token is to end with. */
function boundTo(
  server: ApiServer,
  { ref, name, namespace }: Target & { readonly ref: unknown },
): TokenOrder['bound'] | undefined {
  if (!isObject(ref)) return undefined;
  const title = String(ref['kind'] ?? '');
  const version = String(ref['apiVersion'] ?? '');
  const plural = version.includes('/') ? undefined : plurals[title];
  if (plural === undefined) {
    const [group, own] = version.includes('/') ? version.split('/') : ['', version];
    throw badRequest(`cannot bind token to object of type ${group ?? ''}/${own ?? ''}, Kind=${title}`);
  }
  const object = found(server, plural, { name: String(ref['name'] ?? ''), namespace });
  const pod = object as unknown as JsonObject;
  if (title === 'Pod' && specOf(pod)['serviceAccountName'] !== name)
    throw badRequest(
      `cannot bind token for serviceaccount "${name}" to pod running with different serviceaccount name.`,
    );
  const { name: boundName, uid } = object.metadata;
  if (ref['uid'] !== undefined && ref['uid'] !== '' && ref['uid'] !== uid)
    throw conflict(
      { group: '', version: 'v1', plural: title },
      boundName,
      `the UID in the bound object reference (${String(ref['uid'])}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  const named = { name: boundName, uid };
  if (title !== 'Pod') return title === 'Node' ? { node: named } : { secret: named };
  const nodeName = part(pod, 'spec')['nodeName'];
  if (typeof nodeName !== 'string' || nodeName === '') return { pod: named };
  const node = server.store.get('nodes', nodeName);
  return { node: { name: nodeName, ...(node && { uid: node.metadata.uid }) }, pod: named };
}

const plurals: Readonly<Record<string, 'pods' | 'nodes' | 'secrets' | undefined>> = {
  Pod: 'pods',
  Node: 'nodes',
  Secret: 'secrets',
};

function found(server: ApiServer, plural: 'pods' | 'nodes' | 'secrets', { name, namespace }: Target): StoredObject {
  const object = server.store.get(plural, plural === 'nodes' ? name : `${namespace}/${name}`);
  if (object === undefined) throw notFound({ group: '', version: 'v1', plural }, name);
  return object;
}
