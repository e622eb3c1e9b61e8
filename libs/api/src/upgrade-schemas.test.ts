import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

/** The schema of a CRD's field, as a path through its properties, without what is written for people. */
function schemaOf(crd: string, path: string): unknown {
  const text = readFileSync(new URL(`../crds/${crd}.yaml`, import.meta.url), 'utf8');
  const { spec } = parse(text) as {
    spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
  }; // As the API server takes it.
  const whole = spec.versions[0]?.schema.openAPIV3Schema;
  const found = path.split('.').reduce((schema: Schema | undefined, name) => schema?.properties?.[name], whole);
  return JSON.parse(JSON.stringify(found), (key, value: unknown) => (key === 'description' ? undefined : value));
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}

const cache = 'clusteredcaches.cache.my.domain';
const store = 'kvstoreclusters.kvstore.example.com';

test.each([
  ['spec.upgrade.beforeFirstPod', 'spec.upgrade.beforeFirstPod'],
  ['spec.upgrade.canary', 'spec.canary'],
  ['status.upgrade.analysed', 'status.upgrade.analysed'],
  ['status.hooks', 'status.hooks'],
  ['status.failure', 'status.failure'],
])('%s of a ClusteredCache has the schema of %s of a KVStoreCluster', (ofCache, ofStore) => {
  const schema = schemaOf(cache, ofCache);
  expect(schema).toMatchObject({ type: expect.any(String) as string });
  expect(schema).toEqual(schemaOf(store, ofStore));
});
