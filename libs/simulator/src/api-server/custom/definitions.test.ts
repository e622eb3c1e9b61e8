import { expect, it } from 'vitest';
import { systemClock } from '@ordinal/client';
import { cel } from '@ordinal/schema/cel';
import { ApiServer } from '../server.ts';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  engine: {
                    type: 'string',
                    default: 'one',
                    'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'engine is immutable' }],
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

it('serves a custom kind as its definition says', () => {
  const server = new ApiServer({ clock: systemClock, random: () => 0.5, cel });
  server.execute({
    verb: 'create',
    resource: { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' },
    body: definition,
  });
  const widgets = { group: 'example.com', version: 'v1', plural: 'widgets' };
  const body = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: { unknown: true } };
  const created = server.execute({ verb: 'create', resource: widgets, namespace: 'default', body });
  expect(created.body['spec']).toEqual({ engine: 'one' });
  const changed = server.execute({
    verb: 'patch',
    patchType: 'merge',
    resource: widgets,
    namespace: 'default',
    name: 'a',
    body: { spec: { engine: 'two' } },
  });
  expect(changed.body['message']).toBe(
    'Widget.example.com "a" is invalid: spec.engine: Invalid value: "two": engine is immutable',
  );
});

const definitionAddress = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const widgets = { group: 'example.com', version: 'v1', plural: 'widgets' };

it('keeps a definition until the last object of its kind is gone', () => {
  const server = new ApiServer({ clock: systemClock, random: () => 0.5, cel });
  server.execute({ verb: 'create', resource: definitionAddress, body: definition });
  const place = { resource: widgets, namespace: 'default' };
  for (const name of ['free', 'held'])
    server.execute({
      ...place,
      verb: 'create',
      body: { metadata: { name, ...(name === 'held' && { finalizers: ['example.com/stay'] }) } },
    });
  const named = { resource: definitionAddress, name: 'widgets.example.com' };
  server.execute({ ...named, verb: 'delete' });
  const left = server.execute({ ...place, verb: 'list' }).body['items'];
  expect(left).toMatchObject([{ metadata: { name: 'held' } }]);
  const create = { ...place, verb: 'create', body: { metadata: { name: 'late' } } } as const;
  expect(server.execute(create).body['message']).toContain('definition is terminating');
  const release = { metadata: { finalizers: null } };
  server.execute({ ...place, verb: 'patch', patchType: 'merge', name: 'held', body: release });
  expect(server.execute({ ...named, verb: 'get' }).status).toBe(404);
  expect(server.execute({ ...place, verb: 'list' }).status).toBe(404);
});

it('refuses a definition whose rules are estimated to cost too much, and an update that makes them so', () => {
  const server = new ApiServer({ clock: systemClock, random: () => 0.5, cel });
  const definitions = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
  const withRule = (rule: string): typeof definition => {
    const copy = structuredClone(definition);
    const { engine } = copy.spec.versions[0]!.schema.openAPIV3Schema.properties.spec.properties;
    engine['x-kubernetes-validations'] = [{ rule, message: 'no' }];
    return copy;
  };
  const dear = withRule("self.split('').all(a, self.split('').all(b, a == b))");
  const create = (body: object): unknown =>
    server.execute({ verb: 'create', resource: definitions, body }).body['message'];
  expect(create(dear)).toContain(
    'spec.validation.openAPIV3Schema.properties[spec].properties[engine].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x',
  );
  expect(create(withRule("self == 'one'"))).toBeUndefined();
  const name = 'widgets.example.com';
  const body = { spec: dear.spec };
  const patched = server.execute({ verb: 'patch', patchType: 'merge', resource: definitions, name, body });
  expect(patched.body['message']).toContain('estimated rule cost exceeds budget');
});

it('reads objects by the schema that their definition has now', () => {
  const server = new ApiServer({ clock: systemClock, random: Math.random, cel });
  const definitions = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
  const widgets = { group: 'example.com', version: 'v1', plural: 'widgets' };
  const target = { resource: widgets, namespace: 'default', name: 'a' };
  server.execute({ verb: 'create', resource: definitions, body: definition });
  const body = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: { engine: 'two' } };
  const created = server.execute({ ...target, verb: 'create', body }).body;
  const schema = definition.spec.versions[0]?.schema.openAPIV3Schema;
  const properties = { engine: { type: 'string' }, wheels: { type: 'integer', default: 4 } };
  const openAPIV3Schema = { ...schema, properties: { spec: { type: 'object', properties } } };
  const versions = [{ ...definition.spec.versions[0], schema: { openAPIV3Schema } }];
  server.execute({
    verb: 'patch',
    patchType: 'merge',
    resource: definitions,
    name: 'widgets.example.com',
    body: { spec: { versions } },
  });
  const wanted = { ...created, spec: { engine: 'two', wheels: 4 } };
  expect(server.execute({ ...target, verb: 'get' }).body).toEqual(wanted);
  expect(server.execute({ ...target, verb: 'list' }).body).toMatchObject({ items: [wanted] });
  const seen: unknown[] = [];
  server.watch({ resource: widgets, namespace: 'default' }, { event: ({ object }) => seen.push(object) }).stop();
  expect(seen).toEqual([wanted]);
  // The default is stored by the next write, which says nothing new.
  const touched = server.execute({ ...target, verb: 'patch', patchType: 'merge', body: {} }).body;
  expect(touched).not.toMatchObject({ metadata: { resourceVersion: created['metadata'] } });
  expect(touched).toMatchObject({ spec: { wheels: 4 } });
});
