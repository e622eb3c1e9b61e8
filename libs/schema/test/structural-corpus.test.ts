import { expect, it } from 'vitest';
import { cel } from '../src/cel/index.ts';
import { fieldErrorMessage } from '../src/field-error.ts';
import { checkSchema } from '../src/schema-check/check-schema.ts';
import type { JsonSchemaProps } from '../src/schema-props.ts';
import corpus from './structural-corpus.json' with { type: 'json' };

// What a real API server said of each schema (bench/schema/structural-agreement.ts).

const root = 'spec.validation.openAPIV3Schema';

/** Of a rule only that it does not compile: the reasons are in other words. */
const brief = (words: string): string =>
  /^\S+x-kubernetes-validations\S*: /.test(words) ? 'a rule does not compile' : words;

it('refuses what the API server refuses, in its words', () => {
  const refused = corpus.cases.filter(({ refusal }) => refusal.length > 0);
  expect(refused.length).toBeGreaterThan(200);
  expect(corpus.cases.length - refused.length).toBeGreaterThan(200);
  const differing = corpus.cases.flatMap(({ schema, status, refusal }) => {
    // The file is our own: its schemas may be wrong in what they say, and not in the types of their keywords.
    const given = schema as JsonSchemaProps;
    const errors = checkSchema(given, { path: root, cel, statusSubresource: status === true });
    const ours = [...new Set(errors.map((error) => brief(fieldErrorMessage(error))))].sort();
    return JSON.stringify(ours) === JSON.stringify(refusal) ? [] : [{ schema, ours, theirs: refusal }];
  });
  expect(differing).toEqual([]);
});

it('takes a root of which no more is said than that unknown fields are kept', () => {
  const open: JsonSchemaProps = { 'x-kubernetes-preserve-unknown-fields': true };
  expect(corpus.cases.find(({ schema }) => JSON.stringify(schema) === JSON.stringify(open))?.refusal).toEqual([]);
  expect(checkSchema(open, { cel })).toEqual([]);
});
