import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Definition {
  readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[] };
}

const definitions = ['clusteredcaches.cache.my.domain', 'kvstoreclusters.kvstore.example.com'].map(
  (file) => parse(readFileSync(new URL(`../crds/${file}.yaml`, import.meta.url), 'utf8')) as Definition, // Of our own.
);

/** The fields of `spec.upgrade` and `status.upgrade` of a kind, without their descriptions: these name the kind's own container, and what holds without the field. */
function fieldsOf(definition: Definition, part: 'spec' | 'status'): Readonly<Record<string, unknown>> {
  const schema = definition.spec.versions[0]?.schema.openAPIV3Schema;
  const upgrade = schema?.properties?.[part]?.properties?.['upgrade']?.properties ?? {};
  return JSON.parse(
    JSON.stringify(upgrade, (key, value: unknown) =>
      key === 'description' && typeof value === 'string' ? undefined : value,
    ),
  ) as Readonly<Record<string, unknown>>; // As it was.
}

const shared = {
  spec: ['gates', 'handoff', 'role', 'sync', 'askAgain'],
  status: ['podUID', 'handedOff', 'catchingUp'],
} as const;

test.each(
  (['spec', 'status'] as const).flatMap((part) =>
    shared[part].map((field) => [`${part}.upgrade.${field}`, part, field] as const),
  ),
)('%s has the same schema in ClusteredCache and KVStoreCluster', (_path, part, field) => {
  const [cache, store] = definitions.map((definition) => fieldsOf(definition, part)[field]);
  expect(cache).toBeDefined();
  expect(store).toEqual(cache);
});
