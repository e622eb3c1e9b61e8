import type { JsonSchemaProps } from '@ordinal/schema';
import { expect, test } from 'vitest';
import { findNonStructural } from './structural.ts';

/** What the API server refuses, each with the path of the fault. The schemas are wrong on purpose, hence the assertion. */
const refused: readonly (readonly [string, unknown, string])[] = [
  ['a property without a type', {}, 'properties.x'],
  ['an unknown type', { type: 'text' }, 'properties.x.type'],
  ['a list without items', { type: 'array' }, 'properties.x'],
  ['a list with a list of items', { type: 'array', items: [{ type: 'string' }] }, 'properties.x.items'],
  ['a reference', { $ref: '#/definitions/y' }, 'properties.x.$ref'],
  ['additionalProperties: false', { type: 'object', additionalProperties: false }, 'properties.x.additionalProperties'],
  [
    'properties beside additionalProperties',
    { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } },
    'properties.x.additionalProperties',
  ],
  ['uniqueItems', { type: 'array', items: { type: 'string' }, uniqueItems: true }, 'properties.x.uniqueItems'],
  ['a type inside allOf', { type: 'string', allOf: [{ type: 'string' }] }, 'properties.x.allOf.0.type'],
  [
    'a default inside not',
    { type: 'object', not: { properties: { a: { default: 1 } } } },
    'properties.x.not.properties.a.default',
  ],
  ['nullable inside anyOf', { type: 'string', anyOf: [{ nullable: true }] }, 'properties.x.anyOf.0.nullable'],
  [
    'an embedded resource that is no object',
    { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    'properties.x.type',
  ],
  ['a schema that is no object', 'string', 'properties.x'],
];

test.each(refused)('%s is found', (_, schema, path) => {
  const root = { type: 'object', properties: { x: schema as JsonSchemaProps } };
  expect(findNonStructural(root)?.path.join('.')).toBe(path);
});

test('a root that is no object is found', () => {
  expect(findNonStructural({ type: 'string' })?.path).toEqual(['type']);
});

test('int-or-string, any JSON and a list that keeps unknown fields pass', () => {
  const properties: Record<string, JsonSchemaProps> = {
    port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    quantity: { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }] },
    typed: { type: 'string', 'x-kubernetes-int-or-string': true },
    any: { 'x-kubernetes-preserve-unknown-fields': true },
    list: { type: 'array', 'x-kubernetes-preserve-unknown-fields': true, items: { type: 'object' } },
  };
  expect(findNonStructural({ type: 'object', properties })).toBeUndefined();
});
