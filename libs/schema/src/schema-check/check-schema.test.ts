import { describe, expect, it } from 'vitest';
import { cel } from '../cel/index.ts';
import { fieldErrorMessage } from '../field-error.ts';
import type { JsonSchemaProps } from '../schema-props.ts';
import { checkSchema } from './check-schema.ts';

function messages(property: JsonSchemaProps, root: JsonSchemaProps = {}): string[] {
  return checkSchema({ type: 'object', properties: { a: property }, ...root }, { path: 'schema', cel }).map(
    fieldErrorMessage,
  );
}

const text: JsonSchemaProps = { type: 'string' };

describe('checkSchema', () => {
  it('has nothing against a structural schema', () => {
    expect(messages({ type: 'array', items: text, default: ['x'] })).toEqual([]);
    expect(
      messages({
        'x-kubernetes-int-or-string': true,
        anyOf: [{ type: 'integer' }, { type: 'string' }],
        pattern: '^[0-9]+$',
      }),
    ).toEqual([]);
    // The server takes any default there.
    expect(messages({ 'x-kubernetes-int-or-string': true, default: true })).toEqual([]);
  });

  it.each<[string, JsonSchemaProps & Record<string, unknown>, string]>([
    ['no type', {}, 'schema.properties[a].type: Required value: must not be empty for specified object fields'],
    ['no items', { type: 'array' }, 'schema.properties[a].items: Required value: must be specified'],
    [
      'a type in a branch',
      { ...text, anyOf: [{ type: 'string' }] },
      'schema.properties[a].anyOf[0].type: Forbidden: must be empty to be structural',
    ],
    ['a reference', { type: 'object', $ref: '#/x' }, 'schema.properties[a].$ref: Forbidden: $ref is not supported'],
    [
      'unique items',
      { type: 'array', items: text, uniqueItems: true },
      'schema.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    ],
    [
      'a default with unknown fields',
      { type: 'object', properties: { b: text }, default: { c: 1 } },
      'schema.properties[a].default: Invalid value: {"c":1}: must not have unknown fields',
    ],
    [
      'a default of another type',
      { type: 'integer', default: 'x' },
      'schema.properties[a].default: Invalid value: "string":  in body must be of type integer: "string"',
    ],
    [
      'a default that is too long',
      { type: 'string', maxLength: 3, default: 'four' },
      'schema.properties[a].default: Too long: may not be more than 3 bytes',
    ],
    [
      'a default that breaks a rule',
      { ...text, default: 'x', 'x-kubernetes-validations': [{ rule: "self == 'y'" }] },
      'schema.properties[a].default: Invalid value: "x": failed rule: self == \'y\'',
    ],
    [
      'a default of an int-or-string that is not of the type beside it',
      { ...text, 'x-kubernetes-int-or-string': true, default: 5 },
      'schema.properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"',
    ],
    [
      'keys that may be absent',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['b'],
        items: { type: 'object', properties: { b: text } },
      },
      'schema.properties[a].items.properties[b].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ],
    [
      'a list type on a text',
      { ...text, 'x-kubernetes-list-type': 'set' },
      'schema.properties[a].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
    ],
    [
      'a rule that names nothing',
      { ...text, 'x-kubernetes-validations': [{ rule: "nope == 'x'" }] },
      "schema.properties[a].x-kubernetes-validations[0].rule: Invalid value: \"\": undeclared reference to 'nope' (in container '')",
    ],
  ])('refuses %s', (_, property, message) => {
    expect(messages(property)).toEqual([message]);
  });

  it('refuses a branch at the root that narrows an unknown field', () => {
    expect(messages(text, { oneOf: [{ properties: { b: { minLength: 1 } } }] })).toEqual([
      'schema.properties[b]: Required value: because it is defined in schema.oneOf[0].properties[b]',
    ]);
  });

  it('refuses at the root what a status subresource does not allow', () => {
    const schema: JsonSchemaProps = { type: 'object', 'x-kubernetes-map-type': 'atomic' };
    expect(checkSchema(schema)).toEqual([]);
    expect(checkSchema(schema, { statusSubresource: true }).map(({ field }) => field)).toEqual([
      'spec.validation.openAPIV3Schema',
    ]);
  });
});
