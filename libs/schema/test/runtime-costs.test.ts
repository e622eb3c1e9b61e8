import { expect, it } from 'vitest';
import { cel } from '../src/cel/index.ts';
import { compileSchema } from '../src/index.ts';
import { checkSchema } from '../src/schema-check/check-schema.ts';
import { runtimeCosts } from './runtime-costs.ts';

it.each(runtimeCosts)('$what: an evaluation ends at the size at which the API server ends it', (given) => {
  const schema = { type: 'object', properties: { spec: given.schema } };
  expect(checkSchema(schema, { path: 'schema', cel })).toEqual([]);
  const compiled = compileSchema(schema, { cel });
  const refusals = (size: number): readonly (string | undefined)[] =>
    compiled.validate({ metadata: { name: 'probe' }, spec: given.value(size) }).map(({ detail }) => detail);
  expect(refusals(given.max)).toEqual([]);
  expect(refusals(given.max + 1)).toEqual([expect.stringContaining(given.refusal)]);
});
