import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiError } from '@ordinal/client';
import type { JsonSchemaProps } from '@ordinal/schema';
import { runtimeCosts } from '../../libs/schema/test/runtime-costs.ts';
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

const definition = (schema: object, { status = false, plural = 'probes' } = {}): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.cost.example.com` },
  spec: {
    group: 'cost.example.com',
    scope: 'Namespaced',
    names: { kind: plural, plural },
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
    const theirs = await refusal(definitions, definition(schema, { status: status === true }));
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

test('an evaluation ends at the same cost', { timeout: 900_000 }, async ({ skip }) => {
  if (world.plane.kind === 'simulated') return skip('the record is of a real API server');
  // A few rules on each definition: all together would be too dear for one, and one on each takes its time to be served.
  const groups = Array.from({ length: Math.ceil(runtimeCosts.length / 6) }, (_, index) =>
    runtimeCosts.slice(6 * index, 6 * index + 6),
  );
  const differing: object[] = [];
  for (const [index, group] of groups.entries()) {
    const plural = `costs${String(index)}`;
    const place = `/apis/cost.example.com/v1/namespaces/default/${plural}`;
    const properties = Object.fromEntries(group.map(({ schema }, at) => [`p${String(at)}`, schema]));
    await world.apply(definition({ type: 'object', properties }, { plural }));
    // A definition is served a moment after it is stored.
    await expect
      .poll(() => world.admin.request('GET', place).then(() => 'served', String), { timeout: 30_000 })
      .toBe('served');
    for (const [at, { what, value, max, refusal: words }] of group.entries()) {
      const probe = (size: number): object => ({
        ...{ apiVersion: 'cost.example.com/v1', kind: plural, metadata: { name: 'probe' } },
        [`p${String(at)}`]: value(size),
      });
      const fits = await refusal(place, probe(max));
      const exceeds = await refusal(place, probe(max + 1));
      if (fits.length > 0 || exceeds[0]?.message.includes(words) !== true) differing.push({ what, fits, exceeds });
    }
    await world.admin.request('DELETE', `${definitions}/${plural}.cost.example.com`);
  }
  expect(differing).toEqual([]);
});
