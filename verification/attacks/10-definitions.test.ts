import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubernetesObject } from '@ordinal/client';
import { startWorld, type World } from './world/world.ts';

// With its definition go all resources of a kind. A collection is deleted without a name.

let world: World;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const definition = (plural: string): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.attacks.example.com` },
  spec: {
    group: 'attacks.example.com',
    names: { plural, kind: plural },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

beforeAll(async () => {
  world = await startWorld({ operator: false });
});

afterAll(() => world.stop());

const dryRun = '?dryRun=All';

test('our definitions go neither by name nor in a collection, and others do', async ({ skip }) => {
  if (world.plane.kind === 'simulated') return skip('the simulated API server has no admission policies');
  const name = 'kvstoreclusters.kvstore.example.com';
  const refused = 'all resources of this kind would be deleted with it';
  for (const path of [`${definitions}/${name}`, definitions]) {
    // The reply is not printed: it is as large as the definitions.
    const outcome = world.admin.request('DELETE', `${path}${dryRun}`).then(() => 'deleted', String);
    expect(await outcome).toContain(refused);
  }
  await world.apply(definition('things'));
  await world.admin.request('DELETE', `${definitions}/things.attacks.example.com`);
  const { items } = (await world.admin.request('GET', definitions)) as { readonly items: readonly KubernetesObject[] };
  expect(items.map(({ metadata }) => metadata.name)).toContain(name);
});
