import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readInputs } from '../src/command/inputs.ts';
import { CodegenError } from '../src/error.ts';
import { generate } from '../src/generate.ts';

// CRDs made to keep the generator busy, or to end it: each ends soon, with a result or one clear error.

/** The processor time that this process has used, in milliseconds: it does not depend on what else the machine does. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function crd(property: object): string {
  const schema = { openAPIV3Schema: { type: 'object', properties: { a: property } } };
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { kind: 'Thing', plural: 'things' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
}

function outcomeOf(text: string): string {
  try {
    generate([{ file: 'a.json', text }]);
    return 'generated';
  } catch (error) {
    if (error instanceof CodegenError) return error.message;
    throw error;
  }
}

const text = { type: 'string' };
const ruled = (rule: string): object => ({ ...text, default: 'x', 'x-kubernetes-validations': [{ rule }] });
const ten = '[1, 1, 1, 1, 1, 1, 1, 1, 1, 1]';
const loops = [...'abcdefgh'].reduce((inner, name) => `${ten}.all(${name}, ${inner})`, 'true');
const dear =
  'a.json:1: example.com/v1 Thing: an API server refuses the schema at properties.a.x-kubernetes-validations.0.rule';
const tooLarge = /^a\.json:1: the CRD is 200\d{5} bytes as JSON, and an API server takes 3145728 at most/;

describe('a CRD that is made to keep the generator busy', () => {
  test.each<[string, object, string | RegExp]>([
    [
      'loops in a rule over a default',
      ruled(loops),
      `${dear}: Forbidden: estimated rule cost exceeds budget by factor of 45.6x`,
    ],
    [
      'a list without end',
      ruled('lists.range(1000000000).size() > 0'),
      `${dear}: Forbidden: estimated rule cost exceeds`,
    ],
    [
      'a pattern that backtracks',
      { ...text, default: 'a'.repeat(200), pattern: `^${'a*'.repeat(10)}b$` },
      'properties.a.default: Invalid value',
    ],
    [
      'a pattern that backtracks in a group',
      { ...text, default: '.aaaaa'.repeat(30), pattern: '^(\\.[a-z]*[a-z]*)*!$' },
      'properties.a.default: Invalid value',
    ],
    [
      'a pattern of 1 MB',
      { ...text, pattern: 'w'.repeat(1_000_000) },
      'a pattern of 1000000 characters is not supported',
    ],
    ['a description of 20 MB in words', { ...text, description: 'word '.repeat(4_000_000) }, tooLarge],
    ['a description of 20 MB without a space', { ...text, description: 'w'.repeat(20_000_000) }, tooLarge],
    ['a description of 3 MB in words', { ...text, description: 'w '.repeat(1_500_000) }, 'generated'],
    ['a description of 3 MB without a space', { ...text, description: 'w'.repeat(3_000_000) }, 'generated'],
    ['a default of 3 MB', { ...text, default: 'w'.repeat(3_000_000) }, 'generated'],
    ['an enum of 150,000 values', { ...text, enum: Array.from({ length: 150_000 }, (_, i) => `v${i}`) }, 'generated'],
    [
      'a reference to itself',
      { type: 'object', properties: { b: { $ref: '#/properties/a' } } },
      '$ref is not allowed in a CRD',
    ],
  ])('%s', { timeout: 20_000 }, (_, property, wanted) => {
    const given = crd(property);
    const started = processorTime();
    expect(outcomeOf(given)).toMatch(wanted);
    expect(processorTime() - started).toBeLessThan(5000);
  });

  test('blank lines between documents', () => {
    const started = processorTime();
    expect(outcomeOf(`${'\n'.repeat(300_000)}---\n${crd(text)}`)).toBe('generated');
    expect(processorTime() - started).toBeLessThan(2000);
  });

  test('a file of more than 64 MiB is not read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'codegen-'));
    const file = join(folder, 'a.yaml');
    try {
      writeFileSync(file, '');
      truncateSync(file, 64 * 1024 * 1024 + 1);
      expect(() => readInputs([file])).toThrow(`${file}: 67108865 bytes, more than the 67108864 that are read`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
