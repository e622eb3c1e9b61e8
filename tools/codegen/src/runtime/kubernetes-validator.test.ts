import { expect, test } from 'vitest';
import { KindValidator } from './kubernetes-validator.ts';

const schema = JSON.stringify({
  type: 'object',
  required: ['spec'],
  properties: { spec: { type: 'object', properties: { size: { type: 'integer', minimum: 1, default: 3 } } } },
});
const things = new KindValidator<{ readonly metadata: object }, { readonly metadata: object }>(
  { apiVersion: 'example.com/v1', kind: 'Thing', statusSubresource: false },
  schema,
);
const thing = (more: object): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'a' },
  spec: {},
  ...more,
});

test('problems are those of metadata, of the schema, and fields that neither knows', () => {
  expect(things.problems(thing({}))).toEqual([]);
  const bad = thing({ metadata: { name: 'a', labels: { a: 'x y' }, nmae: 'b' }, spec: { size: 0, sise: 1 } });
  expect(things.problems(bad)).toEqual([
    expect.stringMatching(/^metadata\.labels: Invalid value: "x y": a valid label must/),
    expect.stringMatching(/^spec\.size: Invalid value: 0: .*greater than or equal to 1$/),
    'metadata.nmae: unknown field',
    'spec.sise: unknown field',
  ]);
});

test('what is of another kind, or no object, is one problem', () => {
  expect(things.problems(thing({ kind: 'Other' }))).toEqual(['kind: Invalid value: "Other": must be Thing']);
  expect(things.problems('text')).toHaveLength(1);
});
