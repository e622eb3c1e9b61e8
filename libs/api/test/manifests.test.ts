import { readFileSync, readdirSync } from 'node:fs';
import { fieldErrorMessage } from '@ordinal/schema';
import type { JsonObject, JsonSchemaProps } from '@ordinal/schema';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as validators from '../src/validation.ts';
import { changed, seedSamples, table } from './manifests.ts';

/** Validators of the four kinds, by kind. */
const judges = {
  ClusteredCache: validators.clusteredCacheValidator,
  KVStoreCluster: validators.kvStoreClusterValidator,
  CloudDatabase: validators.cloudDatabaseValidator,
  MonitoredStatefulSet: validators.monitoredStatefulSetValidator,
};
const judgeOf = (kind: string) => judges[kind as keyof typeof judges];

describe('a manifest is accepted', () => {
  test.each(Object.keys(table.accepted))('%s', (kind) => {
    expect(judgeOf(kind).problems(changed(kind, {}))).toEqual([]);
  });
});

describe('an object of the seeds is accepted', () => {
  test.each(seedSamples)('$seed $object.kind: $said', ({ object, status }) => {
    const judge = judgeOf(object.kind);
    expect(judge.problems(object)).toEqual([]);
    expect(judge.problems({ ...object, ...(status !== undefined && { status }) })).toEqual([]);
  });
});

describe('a manifest is refused with words that say what to do', () => {
  test.each(table.refused)('$kind: $wrong', ({ kind, from, change, message }) => {
    const old = from === undefined ? undefined : changed(kind, from);
    const errors = judgeOf(kind).validate(changed(kind, change), old).map(fieldErrorMessage);
    expect(errors.join('\n')).toContain(message);
  });
});

describe('kubectl explain has words for every field of', () => {
  const folder = new URL('../crds/', import.meta.url);
  test.each(readdirSync(folder))('%s', (file) => {
    const crd = parse(readFileSync(new URL(file, folder), 'utf8')) as {
      spec: { versions: { schema: { openAPIV3Schema: JsonSchemaProps } }[] };
    };
    // `kubectl explain` has its own words for an object's metadata.
    const silent = crd.spec.versions.flatMap(({ schema }) => fieldsWithoutWords(schema.openAPIV3Schema, ''));
    expect(silent.filter((path) => path !== '.metadata')).toEqual([]);
  });
});

/** Paths of the fields below that have no description. */
function fieldsWithoutWords(schema: JsonSchemaProps, path: string): string[] {
  const below = (child: JsonSchemaProps | boolean | undefined): string[] =>
    typeof child === 'object' ? fieldsWithoutWords(child, path) : [];
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, property]) => [
    ...((property.description ?? '') === '' ? [`${path}.${key}`] : []),
    ...fieldsWithoutWords(property, `${path}.${key}`),
  ]);
  return [...own, ...below(schema.items), ...below(schema.additionalProperties)];
}

test('the table has rows for every kind, each only once', () => {
  expect(new Set(table.refused.map(({ kind }) => kind))).toEqual(new Set(Object.keys(table.accepted)));
  const names = table.refused.map(({ kind, wrong }: { kind: string; wrong: string }) => `${kind}: ${wrong}`);
  expect(new Set(names).size).toBe(names.length);
  expect(table.refused.every(({ change }: { change: JsonObject }) => Object.keys(change).length > 0)).toBe(true);
});
