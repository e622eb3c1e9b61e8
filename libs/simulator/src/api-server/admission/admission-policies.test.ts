import { systemClock } from '@ordinal/client';
import { expect, it } from 'vitest';
import type { JsonObject } from '../request.ts';
import { ApiServer } from '../server.ts';

const group = 'admissionregistration.k8s.io';
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] };

interface Bound {
  readonly policy: JsonObject;
  readonly binding?: JsonObject;
  readonly matches?: JsonObject;
}

const create = (server: ApiServer, plural: string, body: JsonObject) =>
  server.execute({ verb: 'create', resource: { group, version: 'v1', plural }, body });

/** A server with a policy that is about ConfigMaps, and a binding of it. */
function serverWith({ policy, binding = {}, matches = {} }: Bound): ApiServer {
  const server = new ApiServer({ clock: systemClock, random: () => 0.5 });
  const spec = { matchConstraints: { resourceRules: [rule], ...matches }, ...policy };
  const made = create(server, 'validatingadmissionpolicies', { metadata: { name: 'sizes' }, spec });
  const bound = create(server, 'validatingadmissionpolicybindings', {
    metadata: { name: 'everywhere' },
    spec: { policyName: 'sizes', validationActions: ['Deny'], ...binding },
  });
  expect([made.status, bound.status]).toEqual([201, 201]);
  return server;
}

const writes = (server: ApiServer, data: JsonObject, metadata: JsonObject = {}) =>
  server.execute({
    verb: 'create',
    resource: { group: '', version: 'v1', plural: 'configmaps' },
    namespace: 'default',
    body: { metadata: { name: 'a', ...metadata }, data },
  });

const validation = { expression: "object.data.size != 'big'" };
const prefix = "ValidatingAdmissionPolicy 'sizes' with binding 'everywhere' denied request: ";

it('refuses what a bound policy denies, and nothing else', () => {
  const server = serverWith({ policy: { validations: [validation] } });
  expect(writes(server, { size: 'small' }).status).toBe(201);
  const message = `${prefix}failed expression: object.data.size != 'big'`;
  expect(writes(server, { size: 'big' }, { name: 'b' })).toMatchObject({
    status: 422,
    body: { reason: 'Invalid', message: `configmaps "b" is forbidden: ${message}`, details: { causes: [{ message }] } },
  });
});

it.each<[string, JsonObject, string]>([
  ['the fixed message', { message: ' too big ' }, 'too big'],
  ['a message that is made', { message: 'no', messageExpression: "'not ' + object.data.size" }, 'not big'],
  ['the fixed one where none can be made', { message: 'no', messageExpression: "'not ' + object.data.none" }, 'no'],
  ['the fixed one where it is no line', { message: 'no', messageExpression: "'a\\nb'" }, 'no'],
])('says why: %s', (_what, words, why) => {
  const server = serverWith({ policy: { validations: [{ ...validation, ...words, reason: 'Forbidden' }] } });
  expect(writes(server, { size: 'big' })).toMatchObject({
    status: 403,
    body: { reason: 'Forbidden', message: `configmaps "a" is forbidden: ${prefix}${why}` },
  });
});

it('counts an error as the failure policy says', () => {
  const validations = [{ expression: "object.data.size == 'big'" }];
  expect(writes(serverWith({ policy: { validations } }), { other: 'a' })).toMatchObject({
    status: 422,
    body: {
      message: `configmaps "a" is forbidden: ${prefix}expression 'object.data.size == 'big'' resulted in error: no such key: size`,
    },
  });
  expect(writes(serverWith({ policy: { validations, failurePolicy: 'Ignore' } }), { other: 'a' }).status).toBe(201);
});

it('warns where the binding says so', () => {
  const server = serverWith({
    policy: { validations: [validation] },
    binding: { validationActions: ['Warn', 'Audit'] },
  });
  expect(writes(server, { size: 'big' })).toMatchObject({
    status: 201,
    warnings: [
      "Validation failed for ValidatingAdmissionPolicy 'sizes' with binding 'everywhere': failed expression: object.data.size != 'big'",
    ],
  });
});

it.each<[string, Bound]>([
  [
    'a parameter that is not there',
    {
      policy: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, validations: [validation] },
      binding: { paramRef: { name: 'limits', namespace: 'default', parameterNotFoundAction: 'Deny' } },
    },
  ],
  [
    'an audit annotation that can not be made',
    { policy: { auditAnnotations: [{ key: 'a', valueExpression: 'object.none' }] } },
  ],
])('refuses whatever the actions are for %s', (_what, { policy, binding }) => {
  const server = serverWith({ policy, binding: { ...binding, validationActions: ['Warn'] } });
  expect(writes(server, { size: 'small' })).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
});

it('knows variables, each of which may name those before it', () => {
  const variables = [
    { name: 'size', expression: 'object.data.size' },
    { name: 'isBig', expression: "variables.size == 'big'" },
  ];
  const server = serverWith({ policy: { variables, validations: [{ expression: '!variables.isBig' }] } });
  expect([writes(server, { size: 'small' }).status, writes(server, { size: 'big' }, { name: 'b' }).status]).toEqual([
    201, 422,
  ]);
  expect(writes(server, { other: 'a' }, { name: 'c' })).toMatchObject({
    body: {
      message: expect.stringContaining(
        'composited variable "isBig" fails to evaluate: composited variable "size" fails to evaluate: no such key: size',
      ) as unknown,
    },
  });
});

it('knows the namespace, the request, and parameters', () => {
  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
  const validations = [
    { expression: "object.data.size != params.data.forbidden || request.operation != 'CREATE'" },
    { expression: "namespaceObject.metadata.name == 'default'" },
  ];
  const paramRef = { name: 'limits', namespace: 'default', parameterNotFoundAction: 'Deny' };
  const notLimits = { matchConditions: [{ name: 'no-limits', expression: "object.metadata.name != 'limits'" }] };
  const server = serverWith({ policy: { paramKind, validations, ...notLimits }, binding: { paramRef } });
  expect(writes(server, { size: 'big' })).toMatchObject({
    status: 422,
    body: {
      message: `configmaps "a" is forbidden: ${prefix}failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`,
    },
  });
});

it.each<[string, Omit<Bound, 'policy'>, JsonObject]>([
  ['an excluded rule', { matches: { excludeResourceRules: [{ ...rule, resourceNames: ['a'] }] } }, {}],
  ['names of objects', { matches: { resourceRules: [{ ...rule, resourceNames: ['b'] }] } }, {}],
  [
    'labels of the object',
    { matches: { objectSelector: { matchLabels: { size: 'checked' } } } },
    { labels: { size: 'no' } },
  ],
  ['the binding', { binding: { matchResources: { namespaceSelector: { matchLabels: { a: 'b' } } } } }, {}],
])('does not ask a policy that is not about the request: %s', (_what, bound, metadata) => {
  const server = serverWith({ policy: { validations: [validation] }, ...bound });
  expect(writes(server, { size: 'big' }, metadata).status).toBe(201);
});

it.each<[string, JsonObject, string]>([
  ['nothing to check', {}, 'spec.validations'],
  ['what is no expression', { validations: [{ expression: 'object ==' }] }, 'spec.validations[0].expression'],
  ['an unknown name', { validations: [{ expression: 'objekt.data' }] }, 'spec.validations[0].expression'],
  [
    'a name that is none',
    { validations: [validation], variables: [{ name: 'a-b', expression: '1' }] },
    'spec.variables[0].name',
  ],
])('refuses a policy with %s', (_what, policy, field) => {
  const server = new ApiServer({ clock: systemClock, random: () => 0.5 });
  const spec = { matchConstraints: { resourceRules: [rule] }, ...policy };
  const reply = create(server, 'validatingadmissionpolicies', { metadata: { name: 'sizes' }, spec });
  expect(reply).toMatchObject({
    status: 422,
    body: { details: { causes: expect.arrayContaining([expect.objectContaining({ field })]) as unknown } },
  });
});

it('refuses an expression that needs the authorizer with 501, when it is asked', () => {
  const expression = "authorizer.group('').resource('pods').check('get').allowed()";
  const server = serverWith({ policy: { validations: [{ expression }] } });
  expect(writes(server, {})).toMatchObject({ status: 501 });
});
