import { expect, it } from 'vitest';
import { cel } from '../src/cel/index.ts';
import { checkSchema } from '../src/schema-check/check-schema.ts';
import type { JsonSchemaProps, ValidationRule } from '../src/schema-props.ts';
import corpus from './cost-corpus.json' with { type: 'json' };

// What a real API server said of each rule (bench/schema/cost-agreement.ts), which `npm run attack` asks again.

const root = 'spec.validation.openAPIV3Schema';

function verdict(field: string, detail: string): string {
  if (!detail.includes('cost')) return 'does not compile';
  return `${field.replace(root, '')}: ${detail.replace(/ \(try .*\)$/, '')}`;
}

it('estimates as the API server does, by the factor', () => {
  expect(corpus.cases.length).toBeGreaterThan(1000);
  expect(
    corpus.cases.filter(({ verdict: words }) => words.some((each) => each.includes('exceeds'))).length,
  ).toBeGreaterThan(200);
  const differing = corpus.cases.flatMap(({ schema, verdict: theirs, ...rule }) => {
    // The file is our own: its schemas are of OpenAPI.
    const copy = structuredClone(corpus.schemas[schema]) as unknown as JsonSchemaProps;
    const spec = copy.properties?.['spec'] ?? copy.properties?.['specs']?.items;
    if (spec === undefined) throw new Error(`schema ${String(schema)} has no place for a rule`);
    spec['x-kubernetes-validations'] = [rule satisfies ValidationRule];
    const ours = checkSchema(copy, { path: root, cel }).map(({ field, detail }) => verdict(field, detail ?? ''));
    return JSON.stringify(ours.sort()) === JSON.stringify(theirs) ? [] : [{ rule, ours, theirs }];
  });
  expect(differing).toEqual([]);
});
