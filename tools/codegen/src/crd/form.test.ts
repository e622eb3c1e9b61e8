import type { JsonSchemaProps } from '@ordinal/schema';
import { expect, test } from 'vitest';
import { findMalformed } from './form.ts';

/** What the API server can't decode, or refuses whatever else is said, each with the path of the fault. The schemas are wrong on purpose, so the types are asserted. */
const refused: readonly (readonly [string, unknown, string])[] = [
  ['a list with a list of items', { type: 'array', items: [{ type: 'string' }] }, 'properties.x.items'],
  ['a reference', { $ref: '#/definitions/y' }, 'properties.x.$ref'],
  ['properties that are a list', { type: 'object', properties: [] }, 'properties.x.properties'],
  ['values that are text', { type: 'object', additionalProperties: 'string' }, 'properties.x.additionalProperties'],
  ['a branch that is no list', { type: 'string', anyOf: {} }, 'properties.x.anyOf'],
  ['a branch that is no schema', { type: 'string', allOf: ['x'] }, 'properties.x.allOf.0'],
  ['a keyword of another type inside not', { type: 'string', not: { minLength: 'x' } }, 'properties.x.not.minLength'],
  ['a schema that is no object', 'string', 'properties.x'],
];

test.each(refused)('%s is found', (_, schema, path) => {
  const root = { type: 'object', properties: { x: schema as JsonSchemaProps } };
  expect(findMalformed(root)?.path.join('.')).toBe(path);
});

test('what is of the right form passes, structural or not', () => {
  const properties: Record<string, JsonSchemaProps> = {
    port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    list: { type: 'array', 'x-kubernetes-preserve-unknown-fields': true, items: { type: 'object' } },
    untyped: {},
  };
  expect(findMalformed({ type: 'object', properties })).toBeUndefined();
  expect(findMalformed({ 'x-kubernetes-preserve-unknown-fields': true })).toBeUndefined();
});
