import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CodegenError, generate } from '../src/index.ts';
import { compileErrors } from './program.ts';

// What a real API server said of each schema (bench/schema/structural-agreement.ts): the generator refuses those that it refuses, and no others.

interface Case {
  readonly schema: object;
  readonly status?: true;
  readonly refusal: readonly string[];
}

const file = new URL('../../../libs/schema/test/structural-corpus.json', import.meta.url);
// The file is our own.
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: readonly Case[] };

const manifest = (schema: object, status: boolean, kind = 'Probe'): string =>
  JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.toLowerCase()}s.structural.example.com` },
    spec: {
      group: 'structural.example.com',
      scope: 'Namespaced',
      names: { kind, plural: `${kind.toLowerCase()}s` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          ...(status ? { subresources: { status: {} } } : {}),
        },
      ],
    },
  });

/** Why the generator refuses it; undefined where it takes it. */
function refusalOf({ schema, status }: Case): string | undefined {
  try {
    expect(generate([{ file: 'crd.json', text: manifest(schema, status === true) }])).not.toHaveLength(0);
    return undefined;
  } catch (error) {
    if (error instanceof CodegenError) return error.message;
    throw error;
  }
}

test('the generator takes what the API server takes, and refuses the rest', { timeout: 60_000 }, () => {
  const differing = cases.flatMap((each) => {
    const ours = refusalOf(each);
    return (ours === undefined) === (each.refusal.length === 0) ? [] : [{ ...each, ours }];
  });
  expect(differing).toEqual([]);
});

test('what is generated from those that are taken compiles', { timeout: 120_000 }, () => {
  const taken = cases.filter(({ refusal }) => refusal.length === 0).slice(0, 60);
  const sources = taken.map(({ schema, status }, index) => ({
    file: `${String(index)}.json`,
    text: manifest(schema, status === true, `Kind${String(index)}`),
  }));
  expect(taken.map(({ schema }) => schema)).toContainEqual({ 'x-kubernetes-preserve-unknown-fields': true });
  expect(compileErrors(generate(sources, { importExtension: '.ts' }))).toEqual([]);
});
