import { trackWrite } from '../apply/field-manager.ts';
import { part, specOf } from '../kinds/spec.ts';
import { isObject } from '../object.ts';
import type { ApiReply, ApiRequest, Identity, JsonObject } from '../request.ts';
import type { ServerResource } from '../resources/resource.ts';
import { resourceOf } from '../resources/target.ts';
import { administrator } from '../identity.ts';
import type { ApiServer } from '../server.ts';
import { badRequest } from '../status.ts';
import { decodeStrictly, objectOf } from '../verbs/body.ts';
import { WriteScope } from '../verbs/write-scope.ts';
import type { Attributes } from './attributes.ts';
import { authorize, rulesOf } from './rbac.ts';

/** Kinds that are questions: they are answered and never stored. */
export const reviews: ReadonlySet<string> = new Set([
  'subjectaccessreviews',
  'selfsubjectaccessreviews',
  'localsubjectaccessreviews',
  'selfsubjectreviews',
  'selfsubjectrulesreviews',
]);

/** Whether a kind is a question. */
export const isReview = ({ group, plural }: Pick<ServerResource, 'group' | 'plural'>): boolean =>
  reviews.has(plural) && (group === 'authorization.k8s.io' || group === 'authentication.k8s.io');

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function attributesFrom(spec: JsonObject, user: Identity): Attributes {
  const other = spec['nonResourceAttributes'];
  const asked = part(spec, 'resourceAttributes');
  const base = {
    user,
    group: text(asked['group']),
    resource: text(asked['resource']),
    subresource: text(asked['subresource']),
    namespace: text(asked['namespace']),
    name: text(asked['name']),
  };
  if (isObject(other)) return { ...base, verb: text(other['verb']), path: text(other['path']) };
  return { ...base, verb: text(asked['verb']) };
}

function subjectOf(spec: JsonObject): Identity {
  const groups = Array.isArray(spec['groups']) ? spec['groups'].map(String) : [];
  return { name: text(spec['user']), groups, ...(typeof spec['uid'] === 'string' && { uid: spec['uid'] }) };
}

/** Answers a review: who may do what, and who one is. */
export function review(server: ApiServer, request: ApiRequest): ApiReply {
  const resource = resourceOf(server.resources, request, 'create');
  const scope = new WriteScope(server, request, resource);
  const object = decodeStrictly(scope.model, objectOf(server.resources, resource, request), scope);
  const tracked = trackWrite(scope.writer, { live: scope.model.empty, next: object }, true);
  const user = request.user ?? administrator;
  return { status: 201, body: { ...tracked, status: statusOf(server, { plural: resource.plural, object, user }) } };
}

function statusOf(
  server: ApiServer,
  { plural, object, user }: { plural: string; object: JsonObject; user: Identity },
): JsonObject {
  if (plural === 'selfsubjectreviews')
    return {
      userInfo: {
        username: user.name,
        ...(user.groups && { groups: user.groups }),
        ...(user.uid !== undefined && { uid: user.uid }),
      },
    };
  const spec = specOf(object);
  if (plural === 'selfsubjectrulesreviews') return rulesStatus(server, user, text(spec['namespace']));
  const subject = plural === 'selfsubjectaccessreviews' ? user : subjectOf(spec);
  if (subject.name === '' && (subject.groups ?? []).length === 0)
    throw badRequest('at least one of user or group must be specified');
  const { allowed, reason } = authorize(server.store, attributesFrom(spec, subject));
  return { allowed, ...(reason !== '' && { reason }) };
}

const everything: readonly JsonObject[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** What one may do in a namespace. */
function rulesStatus(server: ApiServer, user: Identity, namespace: string): JsonObject {
  if (namespace === '') throw badRequest('no namespace on request');
  const rules = server.authorizes ? rulesOf(server.store, user, namespace) : everything;
  const shown = (own: 'resources' | 'nonResourceURLs', fields: readonly string[]): readonly JsonObject[] =>
    rules
      .filter((rule) => Array.isArray(rule[own]))
      .map((rule) =>
        Object.fromEntries(fields.filter((key) => rule[key] !== undefined).map((key) => [key, rule[key]])),
      );
  return {
    resourceRules: shown('resources', ['verbs', 'apiGroups', 'resources', 'resourceNames']),
    nonResourceRules: shown('nonResourceURLs', ['verbs', 'nonResourceURLs']),
    incomplete: false,
  };
}
