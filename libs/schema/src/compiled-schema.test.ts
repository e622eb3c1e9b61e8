import { describe, expect, it } from 'vitest';
import { cel } from './cel/index.ts';
import { compileSchema, RulesNotSupported } from './compiled-schema.ts';
import { fieldErrorMessage } from './field-error.ts';
import type { JsonObject } from './json.ts';
import type { JsonSchemaProps } from './schema-props.ts';

const cache: JsonSchemaProps = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['image'],
      properties: {
        image: { type: 'string', minLength: 1, maxLength: 5 },
        replicas: { type: 'integer', format: 'int32', minimum: 1, default: 3 },
        order: { type: 'string', enum: ['Ordinal', 'LeaderLast'] },
        port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
        since: { type: 'string', format: 'date-time', nullable: true },
        labels: { type: 'object', additionalProperties: { type: 'string', pattern: '^[a-z]+$' } },
        gates: {
          type: 'array',
          maxItems: 2,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, timeout: { type: 'string', default: '5m' } },
            oneOf: [{ required: ['http'] }, { required: ['exec'] }, { properties: { name: { enum: ['peers'] } } }],
          },
        },
        pod: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object', properties: {} } },
        },
      },
    },
  },
};

function messages(spec: JsonObject, schema = cache): string[] {
  return compileSchema(schema).validate({ spec }).map(fieldErrorMessage).sort();
}

describe('admit', () => {
  it('prunes what the schema does not know and says what went', () => {
    const object = {
      apiVersion: 'v1',
      kind: 'C',
      metadata: {},
      spec: { image: 'a', imagee: 'b', pod: { any: 1, known: { gone: 1 } } },
      top: 1,
    };
    const { unknownFields } = compileSchema(cache).admit(object);
    expect(unknownFields).toEqual(['spec.imagee', 'spec.pod.known.gone', 'top']);
    expect(object.spec).toEqual({ image: 'a', replicas: 3, pod: { any: 1, known: {} } });
  });

  it('replaces half of a surrogate pair, which is no text, as the decoder does', () => {
    const object = { spec: { image: 'a\ud83d', pod: { '\udc00b': ['\ud83d\ude00', '\ude00x'] } } };
    compileSchema(cache).admit(object);
    expect(object.spec).toEqual({ image: 'a\ufffd', replicas: 3, pod: { '\ufffdb': ['\ud83d\ude00', '\ufffdx'] } });
  });

  it('defaults inside lists, and replaces null where null is not allowed', () => {
    const object = {
      spec: { replicas: null, since: null, image: null, gates: [{ name: 'a' }, { name: 'b', timeout: null }] },
    };
    compileSchema(cache).admit(object);
    expect(object.spec).toEqual({
      replicas: 3,
      since: null,
      gates: [
        { name: 'a', timeout: '5m' },
        { name: 'b', timeout: '5m' },
      ],
    });
  });

  it('does not share default objects between results', () => {
    const schema = compileSchema({
      type: 'object',
      properties: {
        a: { type: 'object', default: { b: [1] }, properties: { b: { type: 'array', items: { type: 'integer' } } } },
      },
    });
    const [first, second]: JsonObject[] = [{}, {}];
    schema.default(first ?? {});
    schema.default(second ?? {});
    expect(first?.a).not.toBe(second?.a);
  });

  it('drops unknown and empty metadata of embedded resources', () => {
    const schema = compileSchema({
      type: 'object',
      properties: {
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
    });
    const object: JsonObject = {
      template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', labels: {}, odd: 1 }, spec: {} },
    };
    expect(schema.admit(object).unknownFields).toEqual(['template.metadata.odd']);
    expect(object.template).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: {} });
    expect(schema.admit({ template: { metadata: { name: 1 } } }).decodeError?.detail).toBe(
      'json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    );
  });
});

describe('validate', () => {
  it('accepts a valid object', () => {
    expect(messages({ image: 'a', replicas: 1, port: 'http', gates: [{ name: 'peers' }], since: null })).toEqual([]);
  });

  it('uses the words of the API server', () => {
    expect(messages({ image: '', replicas: 0, order: 'x', port: true, since: 'now', labels: { a: 'B' } })).toEqual([
      '<nil>: Invalid value: "": "spec.port" must validate at least one schema (anyOf)',
      'spec.image: Invalid value: "": spec.image in body should be at least 1 chars long',
      'spec.labels.a: Invalid value: "B": spec.labels.a in body should match \'^[a-z]+$\'',
      'spec.order: Unsupported value: "x": supported values: "Ordinal", "LeaderLast"',
      'spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
      'spec.port: Invalid value: "boolean": spec.port in body must be of type integer: "boolean"',
      'spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal to 1',
      'spec.since: Invalid value: "now": spec.since in body must be of type date-time: "now"',
    ]);
  });

  it('reports required fields, sizes and types', () => {
    expect(messages({ replicas: 2 ** 40 })).toEqual([
      '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.replicas',
      'spec.image: Required value',
    ]);
    expect(messages({ image: 'abcdef', gates: [{ name: 'peers' }, { name: 'peers' }, null] })).toEqual([
      'spec.gates: Too many: 3: must have at most 2 items',
      'spec.gates[1]: Duplicate value: {"name":"peers"}',
      'spec.gates[2]: Invalid value: "null": spec.gates[2] in body must be of type object: "null"',
      'spec.image: Too long: may not be more than 5 bytes',
    ]);
  });

  it('ratchets: an update is not refused for what it leaves as it was', () => {
    const schema = compileSchema(cache);
    const old = { spec: { image: 'too long', labels: { a: 'B' }, gates: [{ name: 'a' }] } };
    const changed = {
      spec: { image: 'too long', labels: { a: 'B', b: 'C' }, gates: [{ name: 'a' }, { name: 'peers' }] },
    };
    expect(schema.validate(changed, old).map(({ field }) => field)).toEqual(['spec.labels.b']);
  });

  it('tells of rules that were broken before and still are, and refuses those that compare', () => {
    const rules = [
      { rule: 'self.size < 3', message: 'too big' },
      { rule: 'self.size < 3 || oldSelf.size != self.size', message: 'still too big' },
    ];
    const sized: JsonSchemaProps = {
      type: 'object',
      properties: { size: { type: 'integer' } },
      'x-kubernetes-validations': rules,
    };
    const schema = compileSchema({ type: 'object', properties: { spec: sized } }, { cel });
    const object = { spec: { size: 5 } };
    const ratcheted: string[] = [];
    const errors = schema.validate(object, object, (error) => ratcheted.push(fieldErrorMessage(error)));
    expect(ratcheted).toEqual(['spec: Invalid value: too big']);
    expect(errors.map(({ detail }) => detail)).toEqual(['still too big']);
  });

  it('takes an object with fields that its schema does not describe for changed', () => {
    const open: JsonSchemaProps = {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      minProperties: 3,
      properties: {},
    };
    const schema = compileSchema({ type: 'object', properties: { open, count: { type: 'integer', minimum: 3 } } });
    const object = { open: { a: 1 }, count: 1 };
    expect(schema.validate(object, object).map(({ field }) => field)).toEqual(['open']);
  });

  it('refuses a schema with rules when nothing can evaluate them', () => {
    const schema: JsonSchemaProps = { type: 'object', 'x-kubernetes-validations': [{ rule: 'true' }] };
    expect(() => compileSchema(schema)).toThrow(RulesNotSupported);
    expect(compileSchema(schema, { rules: 'ignore' }).validate({})).toEqual([]);
  });
});
