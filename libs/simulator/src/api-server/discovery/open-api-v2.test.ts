import { systemClock } from '@ordinal/client';
import { expect, it } from 'vitest';
import { ApiServer } from '../server.ts';

type Schema = Readonly<Record<string, unknown>>;

const group = 'shop.example.com';

/** The definitions of a server that serves these versions of a kind. */
async function definitionsWith(versions: Readonly<Record<string, Schema>>): Promise<Readonly<Record<string, Schema>>> {
  const server = new ApiServer({ clock: systemClock, random: () => 0.5 });
  const { status } = server.execute({
    verb: 'create',
    resource: { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' },
    body: {
      metadata: { name: `carts.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'carts', kind: 'Cart' },
        versions: Object.entries(versions).map(([name, openAPIV3Schema], index) => ({
          ...{ name, served: name !== 'v9', storage: index === 0 },
          schema: { openAPIV3Schema },
        })),
      },
    },
  });
  expect(status).toBe(201);
  const reply = await server.transport().send({ method: 'GET', path: '/openapi/v2' });
  expect(reply.status).toBe(200);
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body) chunks.push(chunk);
  const document = JSON.parse(Buffer.concat(chunks).toString()) as { definitions: Readonly<Record<string, Schema>> };
  return document.definitions;
}

const metadata = {
  $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
  description: expect.stringMatching(/^Standard object's metadata/) as string,
};
const apiVersion = { type: 'string', description: expect.stringMatching(/^APIVersion defines/) as string };
const kind = { type: 'string', description: expect.stringMatching(/^Kind is a string value/) as string };

it('publishes custom kinds with what every object has, and served versions alone', async () => {
  const spec = { type: 'object', required: ['size'], properties: { size: { type: 'integer', default: 1 } } };
  const definitions = await definitionsWith({
    v1: { type: 'object', description: 'a cart', properties: { spec } },
    v2: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    v9: { type: 'object' },
  });
  const mark = (version: string) => ({ 'x-kubernetes-group-version-kind': [{ group, version, kind: 'Cart' }] });
  const published = { ...spec, properties: { size: { type: 'integer' } } };
  expect(definitions['com.example.shop.v1.Cart']).toEqual({
    ...{ type: 'object', description: 'a cart', ...mark('v1') },
    properties: { spec: published, metadata, apiVersion, kind },
  });
  expect(definitions[metadata.$ref.slice('#/definitions/'.length)]).toMatchObject({
    description: expect.stringMatching(/^ObjectMeta is metadata/) as string,
    properties: { name: { type: 'string', description: expect.stringMatching(/^Name must be unique/) as string } },
  });
  expect(definitions['com.example.shop.v2.Cart']).toEqual({ type: 'object', ...mark('v2') });
  expect(definitions['com.example.shop.v9.Cart']).toBeUndefined();
});

it('leaves out what OpenAPI v2 can not say of a structural schema', async () => {
  const text = { type: 'string' };
  const definitions = await definitionsWith({
    v1: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          required: ['kept', 'perhaps'],
          not: { required: ['other'] },
          properties: {
            kept: { ...text, anyOf: [{ pattern: 'a' }, { pattern: 'b' }] },
            perhaps: { type: 'object', nullable: true, properties: { name: text } },
            free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { name: text } },
            many: { type: 'array', items: { type: 'object', properties: { name: { ...text, nullable: true } } } },
          },
        },
      },
    },
  });
  expect(definitions['com.example.shop.v1.Cart']).toMatchObject({
    properties: {
      spec: {
        ...{ type: 'object', required: ['kept'] },
        properties: {
          ...{ kept: text, perhaps: {}, free: { 'x-kubernetes-preserve-unknown-fields': true } },
          many: { type: 'array', items: { type: 'object', properties: { name: {} } } },
        },
      },
    },
  });
  expect(JSON.stringify(definitions['com.example.shop.v1.Cart'])).not.toMatch(/nullable|anyOf|"not"/);
});

it('writes built-in kinds with references into the same document, without defaults', async () => {
  const definitions = await definitionsWith({ v1: { type: 'object' } });
  expect(definitions['io.k8s.api.apps.v1.Deployment']).toMatchObject({
    properties: {
      metadata: { $ref: metadata.$ref },
      spec: { $ref: '#/definitions/io.k8s.api.apps.v1.DeploymentSpec' },
    },
  });
  expect(definitions['io.k8s.apimachinery.pkg.util.intstr.IntOrString']).toMatchObject({ type: 'string' });
  const text = JSON.stringify(definitions);
  for (const [, name = ''] of text.matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g))
    expect(definitions).toHaveProperty([name]);
  expect(text).not.toContain('#/components/');
});

it('has no form for clients that read protobuf alone', async () => {
  const transport = new ApiServer({ clock: systemClock, random: () => 0.5 }).transport();
  const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
  const { status } = await transport.send({ method: 'GET', path: '/openapi/v2', headers: { accept } });
  expect(status).toBe(406);
});
