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
