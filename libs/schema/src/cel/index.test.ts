import { describe, expect, it } from 'vitest';
import { compileSchema } from '../compiled-schema.ts';
import { fieldErrorMessage } from '../field-error.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { JsonSchemaProps, ValidationRule } from '../schema-props.ts';
import { cel, UnsupportedRule } from './index.ts';

function schemaOf(properties: Record<string, JsonSchemaProps>, ...rules: (string | ValidationRule)[]): JsonSchemaProps {
  const spec: JsonSchemaProps = {
    type: 'object',
    properties,
    'x-kubernetes-validations': rules.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
  };
  return { type: 'object', properties: { spec } };
}

function errors(schema: JsonSchemaProps, spec: JsonObject, old?: JsonObject): string[] {
  const compiled = compileSchema(schema, { cel });
  return compiled.validate({ spec }, old === undefined ? undefined : { spec: old }).map(fieldErrorMessage);
}

/** Errors of a rule about `self.a`, whose schema and value are given. */
function about(a: JsonSchemaProps, value: JsonValue, rule: string): string[] {
  return errors(schemaOf({ a }, rule), { a: value });
}

const integer: JsonSchemaProps = { type: 'integer' };
const text: JsonSchemaProps = { type: 'string' };

describe('a rule that does not hold', () => {
  it('is reported in its own words, those of its message, or those of its expression', () => {
    const rule = 'self.a > 1';
    expect(errors(schemaOf({ a: integer }, rule), { a: 1 })).toEqual(['spec: Invalid value: failed rule: self.a > 1']);
    expect(errors(schemaOf({ a: integer }, { rule, message: ' too small ' }), { a: 1 })).toEqual([
      'spec: Invalid value: too small',
    ]);
    const said = { rule, message: 'm', messageExpression: "'%d is too small'.format([self.a])" };
    expect(errors(schemaOf({ a: integer }, said), { a: 1 })).toEqual(['spec: Invalid value: 1 is too small']);
    const silent = { rule, message: 'm', messageExpression: "self.a == 1 ? '' : 'x'" };
    expect(errors(schemaOf({ a: integer }, silent), { a: 1 })).toEqual(['spec: Invalid value: m']);
  });

  it('shows scalars, blames another field and gives its reason', () => {
    const a: JsonSchemaProps = { ...integer, 'x-kubernetes-validations': [{ rule: 'self > 1' }] };
    expect(errors(schemaOf({ a }), { a: 1 })).toEqual(['spec.a: Invalid value: 1: failed rule: self > 1']);
    const rule: ValidationRule = { rule: 'false', fieldPath: '.a', reason: 'FieldValueForbidden', message: 'no' };
    expect(errors(schemaOf({ a: integer }, rule), { a: 1 })).toEqual(['spec.a: Forbidden: no']);
  });

  it('is reported when it has no value', () => {
    const list: JsonSchemaProps = { type: 'array', items: integer };
    expect(about(list, [], 'self.a[3] == 1')).toEqual([
      'spec: Invalid value: "object": index out of bounds: 3 evaluating rule: self.a[3] == 1',
    ]);
    const port: JsonSchemaProps = { 'x-kubernetes-int-or-string': true };
    expect(about(port, 'http', 'self.a > 5')).toEqual([
      'spec: Invalid value: "object": \'no such overload\': call arguments did not match a supported operator, function or macro signature for rule: self.a > 5',
    ]);
  });
});

describe('values', () => {
  it('have the type of their schema', () => {
    expect(about({ type: 'number' }, 5, 'self.a == 5.0 && type(self.a) == double')).toEqual([]);
    expect(about(integer, 5, 'self.a / 2 == 2')).toEqual([]);
    expect(
      about(
        { ...text, format: 'date-time' },
        '2024-02-29T12:30:00Z',
        "self.a + duration('1h') == timestamp('2024-02-29T13:30:00Z')",
      ),
    ).toEqual([]);
    expect(about({ ...text, format: 'duration' }, '90m', 'self.a.getHours() == 1')).toEqual([]);
    expect(about({ ...text, format: 'byte' }, 'aGk=', "self.a == b'hi'")).toEqual([]);
  });

  it('have escaped names', () => {
    const properties = { namespace: text, 'a-b.c/d': text, x__y: text };
    const rule = "self.__namespace__ + self.a__dash__b__dot__c__slash__d + self.x__underscores__y == 'abc'";
    expect(errors(schemaOf(properties, rule), { namespace: 'a', 'a-b.c/d': 'b', x__y: 'c' })).toEqual([]);
  });

  it('of sets and maps of lists are compared without order', () => {
    const set: JsonSchemaProps = { type: 'array', 'x-kubernetes-list-type': 'set', items: text };
    expect(about(set, ['a', 'b'], "self.a == ['b', 'a'] && self.a + ['a', 'c'] == ['c', 'b', 'a']")).toEqual([]);
    expect(about({ type: 'array', items: text }, ['a', 'b'], "self.a != ['b', 'a']")).toEqual([]);
  });

  it('at the root include the name of the object', () => {
    const schema: JsonSchemaProps = {
      type: 'object',
      'x-kubernetes-validations': [{ rule: "self.metadata.name != 'x'" }],
    };
    const compiled = compileSchema(schema, { cel });
    expect(compiled.validate({ metadata: { name: 'x' } }).map(fieldErrorMessage)).toEqual([
      "<nil>: Invalid value: failed rule: self.metadata.name != 'x'",
    ]);
  });
});

describe('null', () => {
  it.each([
    ['format.dns1123Label().validate(self.a) == null', 'http'],
    ['null == self.?a', 'x'],
    ['optional.none() == null', 'x'],
    ["duration('1s') == null", 'x'],
    ["timestamp('2024-01-01T00:00:00Z') == null", 'x'],
    ["quantity('1') == null", 'x'],
    ["null in [duration('1s')]", 'x'],
  ])('is compared with what may be absent, and never equals it: %s', (rule, value) => {
    expect(about(text, value, rule)).toEqual([`spec: Invalid value: failed rule: ${rule}`]);
    expect(about(text, value, rule.replace('==', '!=').replace(/^null in .*/, 'true'))).toEqual([]);
  });

  it.each(['self.a', '1', '1u', '1.5', 'true', "b'a'", '[1]', "{'a': 1}", 'type(1)'])(
    'is not compared with %s',
    (other) => {
      expect(() => about(text, 'x', `${other} == null`)).toThrow("found no matching overload for '_==_'");
    },
  );
});

describe('an update', () => {
  const immutable: JsonSchemaProps = {
    ...text,
    'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'is immutable' }],
  };

  it('runs transition rules, which a create does not', () => {
    expect(errors(schemaOf({ a: immutable }), { a: 'x' })).toEqual([]);
    expect(errors(schemaOf({ a: immutable }), { a: 'x' }, { a: 'y' })).toEqual([
      'spec.a: Invalid value: "x": is immutable',
    ]);
    expect(errors(schemaOf({ a: immutable }), { a: 'x' }, {})).toEqual([]);
  });

  it('finds old items of a list of type map by their keys', () => {
    const items: JsonSchemaProps = { type: 'object', properties: { name: text, a: immutable } };
    const list: JsonSchemaProps = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items,
    };
    const old = {
      a: [
        { name: 'one', a: '1' },
        { name: 'two', a: '2' },
      ],
    };
    const changed = {
      a: [
        { name: 'two', a: '2' },
        { name: 'one', a: '9' },
        { name: 'new', a: '3' },
      ],
    };
    expect(errors(schemaOf({ a: list }), changed, old)).toEqual(['spec.a[1].a: Invalid value: "9": is immutable']);
  });

  it('gives rules with optionalOldSelf a value that may be none', () => {
    const rule = { rule: "oldSelf.hasValue() || self.a == 'first'", optionalOldSelf: true };
    expect(errors(schemaOf({ a: text }, rule), { a: 'x' })).toHaveLength(1);
    expect(errors(schemaOf({ a: text }, rule), { a: 'x' }, { a: 'y' })).toEqual([]);
  });

  it('does not refuse what it leaves as it was', () => {
    const a: JsonSchemaProps = { ...integer, 'x-kubernetes-validations': [{ rule: 'self > 5' }] };
    expect(errors(schemaOf({ a, b: text }), { a: 1, b: 'new' }, { a: 1, b: 'old' })).toEqual([]);
    expect(errors(schemaOf({ a, b: text }), { a: 2, b: 'new' }, { a: 1, b: 'old' })).toHaveLength(1);
  });
});

describe('a rule that cannot be evaluated', () => {
  it.each([
    ['self.b == 1', "undefined field 'b'"],
    ['nope(self.a)', "undeclared reference to 'nope'"],
    ['cel.bind(x, 1, x == 1)', "undeclared reference to 'cel.bind'"],
    ['self.a ==', 'Syntax error'],
    ["self.a == 'x'", "no matching overload for '_==_' applied to '(int, string)'"],
    ['optional.none() == 1', "no matching overload for '_==_' applied to '(optional_type(dyn), int)'"],
    ["(self.a == 1 ? null : 'x') == 'x'", "no matching overload for '_?_:_' applied to '(bool, null, string)'"],
    ["[duration('1s'), null].size() == 2", "expected type 'duration' but found 'null'"],
    ["duration('x') == duration('1s')", 'type conversion error'],
    ['self.a', 'must evaluate to a bool'],
  ])('is refused with its path: %s', (rule, reason) => {
    const compile = (): unknown => compileSchema(schemaOf({ a: integer }, 'true', rule), { cel });
    expect(compile).toThrow(UnsupportedRule);
    expect(compile).toThrow(`openAPIV3Schema.properties[spec].x-kubernetes-validations[1].rule: `);
    expect(compile).toThrow(reason);
  });
});
