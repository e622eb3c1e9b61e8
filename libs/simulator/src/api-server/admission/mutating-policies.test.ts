import { systemClock } from '@ordinal/client';
import { expect, it } from 'vitest';
import type { JsonObject } from '../request.ts';
import { ApiServer } from '../server.ts';

const group = 'admissionregistration.k8s.io';
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] };

const create = (server: ApiServer, plural: string, body: JsonObject) =>
  server.execute({ verb: 'create', resource: { group, version: 'v1', plural }, body });

/** A server with policies that change ConfigMaps, by their names. */
function serverWith(policies: Readonly<Record<string, JsonObject>>): ApiServer {
  const server = new ApiServer({ clock: systemClock, random: () => 0.5 });
  for (const [name, policy] of Object.entries(policies)) {
    const spec = { matchConstraints: { resourceRules: [rule] }, reinvocationPolicy: 'Never', ...policy };
    const made = create(server, 'mutatingadmissionpolicies', { metadata: { name }, spec });
    const bound = create(server, 'mutatingadmissionpolicybindings', { metadata: { name }, spec: { policyName: name } });
    expect([made.status, bound.status]).toEqual([201, 201]);
  }
  return server;
}

const writes = (server: ApiServer, data: JsonObject) =>
  server.execute({
    verb: 'create',
    resource: { group: '', version: 'v1', plural: 'configmaps' },
    namespace: 'default',
    body: { metadata: { name: 'a' }, data },
  });

const apply = (expression: string): JsonObject => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patch = (expression: string): JsonObject => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

it('changes an object by what is applied and by patches, one after the other', () => {
  const variables = [{ name: 'size', expression: 'string(size(object.data))' }];
  const mutations = [
    apply('Object{metadata: Object.metadata{labels: {"size": variables.size}}}'),
    patch('[JSONPatch{op: "add", path: "/data/size", value: object.metadata.labels["size"]}]'),
  ];
  expect(writes(serverWith({ sizes: { variables, mutations } }), { a: 'b' })).toMatchObject({
    status: 201,
    body: { metadata: { labels: { size: '1' } }, data: { a: 'b', size: '1' } },
  });
});

it('asks a policy again that wants it, once others changed the object', () => {
  const counts = (key: string) => ({
    mutations: [apply(`Object{data: {"${key}": string(size(object.data))}}`)],
  });
  const server = serverWith({ a: { ...counts('a'), reinvocationPolicy: 'IfNeeded' }, b: counts('b') });
  expect(writes(server, { x: 'y' })).toMatchObject({ status: 201, body: { data: { x: 'y', a: '3', b: '2' } } });
});

it.each<[string, JsonObject, string]>([
  [
    'an expression that fails',
    apply('Object{data: {"a": object.none}}'),
    'expression \'Object{data: {"a": object.none}}\' resulted in error: no such key: none',
  ],
  [
    'a type that has not the name of its field',
    apply('Object{metadata: Object.spec{}}'),
    'type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type',
  ],
])('refuses, or passes over %s', (_what, mutation, why) => {
  const mutations = [mutation, apply('Object{data: {"other": "done"}}')];
  const message = `policy 'wrong' with binding 'wrong' denied request: ${why}`;
  expect(writes(serverWith({ wrong: { mutations } }), { a: 'b' })).toMatchObject({
    status: 403,
    body: { reason: 'Invalid', message, details: { causes: [{ message }] } },
  });
  expect(writes(serverWith({ wrong: { mutations, failurePolicy: 'Ignore' } }), { a: 'b' })).toMatchObject({
    status: 201,
    body: { data: { a: 'b', other: 'done' } },
  });
});

it('leaves an object as it is where a test of a patch fails', () => {
  const mutations = [
    patch('[JSONPatch{op: "test", path: "/data/a", value: "c"}, JSONPatch{op: "remove", path: "/data/a"}]'),
  ];
  expect(writes(serverWith({ tests: { mutations } }), { a: 'b' })).toMatchObject({
    status: 201,
    body: { data: { a: 'b' } },
  });
});
