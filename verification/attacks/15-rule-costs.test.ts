import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiError } from '@ordinal/client';
import { compileSchema } from '@ordinal/schema';
import type { JsonSchemaProps } from '@ordinal/schema';
import { cel } from '@ordinal/schema/cel';
import { startWorld, type World } from './world/world.ts';

// Rules that cost more than the API server gives them: it refuses the definition, or ends their evaluation. So do we, at the same cost.

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const root = 'spec.validation.openAPIV3Schema';
const corpusFile = join(import.meta.dirname, '../../libs/schema/test/cost-corpus.json');
const structuralFile = join(import.meta.dirname, '../../libs/schema/test/structural-corpus.json');

interface Case {
  readonly schema: number;
  readonly rule: string;
  readonly messageExpression?: string;
  readonly verdict: readonly string[];
}

let world: World;

beforeAll(async () => {
  world = await startWorld({ operator: false });
});

afterAll(() => world.stop());

const definition = (schema: object, status = false): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'probes.cost.example.com' },
  spec: {
    group: 'cost.example.com',
    scope: 'Namespaced',
    names: { kind: 'Probe', plural: 'probes' },
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

/** The causes for which a request is refused; none where it is taken. */
async function refusal(path: string, body: object): Promise<readonly { field: string; message: string }[]> {
  try {
    await world.admin.request('POST', `${path}?dryRun=All`, { body });
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return (error.status.details?.causes ?? []).map(({ field = '', message = '' }) => ({ field, message }));
  }
}

test('what is recorded of the corpus is what the API server says', { timeout: 300_000 }, async ({ skip }) => {
  if (world.plane.kind === 'simulated') return skip('the record is of a real API server');
  // The record is our own.
  const { schemas, cases } = JSON.parse(readFileSync(corpusFile, 'utf8')) as {
    schemas: JsonSchemaProps[];
    cases: Case[];
  };
  const differing: object[] = [];
  for (const { schema, verdict, ...rule } of cases) {
    const copy = structuredClone(schemas[schema]);
    const spec = copy?.properties?.['spec'] ?? copy?.properties?.['specs']?.items;
    if (copy === undefined || spec === undefined) throw new Error('the record is damaged');
    spec['x-kubernetes-validations'] = [rule];
    const found = await refusal(definitions, definition(copy));
    const words = found.map(({ field, message }) =>
      message.includes('cost')
        ? `${field.replace(root, '')}: ${message.replace(/^Forbidden: /, '').replace(/ \(try .*\)$/, '')}`
        : 'does not compile',
    );
    const theirs = words.includes('does not compile') ? ['does not compile'] : words.sort();
    if (JSON.stringify(theirs) !== JSON.stringify(verdict)) differing.push({ rule, theirs, verdict });
  }
  expect(differing).toEqual([]);
});

test('what is recorded of schemas is what the API server refuses', { timeout: 300_000 }, async ({ skip }) => {
  if (world.plane.kind === 'simulated') return skip('the record is of a real API server');
  // The record is our own.
  const { cases } = JSON.parse(readFileSync(structuralFile, 'utf8')) as {
    cases: { schema: JsonSchemaProps; status?: true; refusal: string[] }[];
  };
  const differing: object[] = [];
  for (const { schema, status, refusal: recorded } of cases) {
    const theirs = await refusal(definitions, definition(schema, status === true));
    // Which fields: schemas are written out in some of the words.
    const fields = new Set(theirs.map(({ field }) => field));
    const missing = [...fields].filter(
      (field) =>
        !field.includes('x-kubernetes-validations') && !recorded.some((words) => words.startsWith(`${field}: `)),
    );
    if (missing.length > 0 || (theirs.length === 0) !== (recorded.length === 0)) differing.push({ schema, theirs });
  }
  expect(differing).toEqual([]);
});

test('an evaluation ends at the same cost', async () => {
  const rule = 'self.all(a, self.all(b, a >= 0 && b >= 0))';
  const numbers: JsonSchemaProps = { type: 'array', maxItems: 1000, items: { type: 'integer' } };
  const spec = { ...numbers, 'x-kubernetes-validations': [{ rule }] };
  const schema: JsonSchemaProps = { type: 'object', properties: { spec } };
  const object = (size: number): { metadata: { name: string }; spec: number[] } => ({
    metadata: { name: 'probe' },
    spec: Array.from({ length: size }, () => 1),
  });
  const ours = compileSchema(schema, { cel });
  let [fits, exceeds] = [1, 1000];
  while (exceeds - fits > 1) {
    const half = Math.floor((fits + exceeds) / 2);
    if (ours.validate(object(half)).length === 0) fits = half;
    else exceeds = half;
  }
  expect(exceeds).toBeLessThan(1000);
  await world.apply(definition(schema));
  const place = '/apis/cost.example.com/v1/namespaces/default/probes';
  const probe = (size: number): object => ({ apiVersion: 'cost.example.com/v1', kind: 'Probe', ...object(size) });
  // A definition is served a moment after it is stored.
  await expect
    .poll(() => world.admin.request('GET', place).then(() => 'served', String), { timeout: 10_000 })
    .toBe('served');
  expect(await refusal(place, probe(fits))).toEqual([]);
  const [cause] = await refusal(place, probe(exceeds));
  expect(cause?.message).toContain('operation cancelled: actual cost limit exceeded');
  await world.admin.request('DELETE', `${definitions}/probes.cost.example.com`);
});
