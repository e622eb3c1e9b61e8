import { timestamp } from '@ordinal/client';
import type { Steps } from '../admission/steps.ts';
import { trackWrite } from '../apply/field-manager.ts';
import { part, specOf } from '../kinds/spec.ts';
import { isObject } from '../object.ts';
import type { ApiReply, ApiRequest, Identity, JsonObject } from '../request.ts';
import type { ServerResource } from '../resources/resource.ts';
import { resourceOf } from '../resources/target.ts';
import { metadataOf } from '../kinds/metadata-rules.ts';
import { wrong } from '../kinds/causes.ts';
import { administrator, authenticated } from '../identity.ts';
import type { ApiServer } from '../server.ts';
import { badRequest, invalid } from '../status.ts';
import type { FieldCause } from '../status.ts';
import { decodeStrictly, inNamespace, objectOf } from '../verbs/body.ts';
import { WriteScope } from '../verbs/write-scope.ts';
import type { Attributes } from './attributes.ts';
import { authorize, heldRules } from './rbac.ts';

/** Kinds that are questions: they are answered and never stored. */
export const reviews: ReadonlySet<string> = new Set([
  'subjectaccessreviews',
  'selfsubjectaccessreviews',
  'localsubjectaccessreviews',
  'selfsubjectreviews',
  'selfsubjectrulesreviews',
  'tokenreviews',
]);

/** Those that ask whether a user may do something. */
const accessReviews: ReadonlySet<string> = new Set([
  'subjectaccessreviews',
  'selfsubjectaccessreviews',
  'localsubjectaccessreviews',
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
export function* review(server: ApiServer, request: ApiRequest): Steps<ApiReply> {
  const resource = resourceOf(server.resources, request, 'create');
  const scope = new WriteScope(server, request, resource);
  const decoded = decodeStrictly(scope.model, objectOf(server.resources, resource, request), scope);
  const object = inNamespace(resource, decoded, request.namespace);
  const user = authenticated(request.user ?? administrator);
  if (accessReviews.has(resource.plural)) {
    const causes = questionCauses(resource.plural, object);
    // The server has forgotten by then which kind it was.
    if (causes.length > 0) throw invalid({ group: resource.group, kind: '' }, '', causes);
  }
  const tracked = yield* scope.tracked((writer) => trackWrite(writer, { live: scope.model.empty, next: object }, true));
  const status = statusOf(server, { plural: resource.plural, object, user });
  return { status: 201, body: { ...withoutQuestion(server, resource.plural, tracked), status } };
}

function statusOf(
  server: ApiServer,
  { plural, object, user }: { plural: string; object: JsonObject; user: Identity },
): JsonObject {
  if (plural === 'selfsubjectreviews') return { userInfo: userInfoOf(user) };
  const spec = specOf(object);
  if (plural === 'selfsubjectrulesreviews') return rulesStatus(server, user, text(spec['namespace']));
  if (plural === 'tokenreviews') return tokenStatus(server, spec);
  const subject = plural === 'selfsubjectaccessreviews' ? user : subjectOf(spec);
  const { allowed, reason } = server.authorizes
    ? authorize(server.store, attributesFrom(spec, subject))
    : { allowed: true, reason: '' };
  return { allowed, ...(reason !== '' && { reason }) };
}

/** Whose token it is, and for whom. */
function tokenStatus(server: ApiServer, spec: JsonObject): JsonObject {
  const token = text(spec['token']);
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const audiences = Array.isArray(spec['audiences']) ? spec['audiences'].map(String) : [];
  const verdict = server.tokens.verdict(token, audiences.length === 0 ? undefined : audiences);
  if ('user' in verdict) return { authenticated: true, user: userInfoOf(verdict.user), audiences: verdict.audiences };
  const invalidToken = 'invalid bearer token';
  return { user: {}, error: verdict.error === undefined ? invalidToken : `[${invalidToken}, ${verdict.error}]` };
}

/** Answers about oneself are objects of their own: they do not repeat what was asked. */
function withoutQuestion(server: ApiServer, plural: string, { kind, apiVersion, ...rest }: JsonObject): JsonObject {
  if (plural === 'selfsubjectrulesreviews') return { kind, apiVersion, metadata: {}, spec: {} };
  if (plural !== 'selfsubjectreviews') return { kind, apiVersion, ...rest };
  return { kind, apiVersion, metadata: { creationTimestamp: timestamp(server.clock.now()) } };
}

const userInfoOf = ({ name, uid, groups, extra }: Identity): JsonObject => ({
  username: name,
  ...(uid !== undefined && { uid }),
  ...(groups && { groups }),
  ...(extra && { extra }),
});

/** What is wrong with the question. */
function questionCauses(plural: string, object: JsonObject): readonly FieldCause[] {
  const spec = specOf(object);
  const asked = spec['resourceAttributes'];
  const path = spec['nonResourceAttributes'];
  // As Go prints its own type.
  const shownPath = {
    Path: part(spec, 'nonResourceAttributes')['path'],
    Verb: part(spec, 'nonResourceAttributes')['verb'],
  };
  const isSelf = plural === 'selfsubjectaccessreviews';
  const isLocal = plural === 'localsubjectaccessreviews';
  const { name: user, groups = [] } = subjectOf(spec);
  const { namespace, managedFields: _, creationTimestamp: __, ...metadata } = metadataOf(object);
  const more = isLocal ? metadata : { ...metadata, ...(namespace !== undefined && { namespace }) };
  return [
    ...(isObject(asked) && isObject(path)
      ? [wrong('spec.nonResourceAttributes', shownPath, 'cannot be specified in combination with resourceAttributes')]
      : []),
    ...(!isObject(asked) && !isObject(path)
      ? [
          wrong(
            'spec.resourceAttributes',
            null,
            'exactly one of nonResourceAttributes or resourceAttributes must be specified',
          ),
        ]
      : []),
    ...(!isSelf && user === '' && groups.length === 0
      ? [wrong('spec.user', '', 'at least one of user or group must be specified')]
      : []),
    ...(Object.keys(more).length > 0
      ? [wrong('metadata', metadataOf(object), `must be empty${isLocal ? ' except for namespace' : ''}`)]
      : []),
    ...(isLocal && isObject(asked) && text(asked['namespace']) !== text(namespace)
      ? [wrong('spec.resourceAttributes.namespace', text(asked['namespace']), 'must match metadata.namespace')]
      : []),
    ...(isLocal && isObject(path)
      ? [wrong('spec.nonResourceAttributes', shownPath, 'disallowed on this kind of request')]
      : []),
  ];
}

const everything: readonly JsonObject[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** What one may do in a namespace. */
function rulesStatus(server: ApiServer, user: Identity, namespace: string): JsonObject {
  if (namespace === '') throw badRequest('no namespace on request');
  const rules = server.authorizes ? heldRules(server.store, user, namespace).rules : everything;
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
