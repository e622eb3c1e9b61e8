import { describe, expect, it } from 'vitest';
import { cel } from '../cel/index.ts';
import { compileSchema } from '../compiled-schema.ts';
import { copyJson } from '../json.ts';
import type { JsonSchemaProps } from '../schema-props.ts';
import { mutate, sample, sampleValid, seededRandom } from './index.ts';

const schema: JsonSchemaProps = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['image', 'replicas'],
      properties: {
        image: { type: 'string', pattern: '^[a-z0-9]+(?:/[a-z]{2,4})?:v[0-9]$', maxLength: 20 },
        replicas: { type: 'integer', minimum: 2, maximum: 9, 'x-kubernetes-validations': [{ rule: 'self % 2 == 1' }] },
        order: { type: 'string', enum: ['Ordinal', 'LeaderLast'] },
        at: { type: 'string', format: 'date-time' },
        port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
        gates: {
          type: 'array',
          minItems: 1,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: {
              name: { type: 'string', minLength: 3 },
              http: { type: 'object', properties: {} },
              exec: { type: 'string' },
            },
            oneOf: [{ required: ['http'] }, { required: ['exec'] }],
          },
        },
      },
    },
  },
};
const compiled = compileSchema(schema, { cel });

describe('sampleValid', () => {
  it('gives valid objects that differ', () => {
    const random = seededRandom(1);
    const objects = Array.from({ length: 40 }, () => sampleValid(schema, random, { compiled }));
    for (const object of objects) expect(object && compiled.validate(copyJson(object))).toEqual([]);
    expect(new Set(objects.map((object) => JSON.stringify(object))).size).toBeGreaterThan(30);
  });

  it('gives up on a schema that nothing fits', () => {
    const none: JsonSchemaProps = {
      type: 'object',
      properties: { a: { type: 'string', minLength: 2, maxLength: 1 } },
      required: ['a'],
    };
    expect(sampleValid(none, seededRandom(1), { compiled: compileSchema(none), attempts: 3 })).toBeUndefined();
  });
});

describe('samples and mutations', () => {
  it('are the same for the same seed', () => {
    const draw = (seed: number): string => {
      const random = seededRandom(seed);
      const object = sample(schema, random);
      return JSON.stringify([object, mutate(object, random)]);
    };
    expect(draw(7)).toBe(draw(7));
    expect(draw(7)).not.toBe(draw(8));
  });

  it('leave the original as it was and say what they did', () => {
    const object = { spec: { image: 'a' } };
    const { object: changed, what } = mutate(object, seededRandom(3));
    expect(object).toEqual({ spec: { image: 'a' } });
    expect(what).toMatch(/^[a-z]+ spec/);
    expect(changed).not.toBe(object);
  });

  it('are refused in a good part', () => {
    const random = seededRandom(5);
    const base = sampleValid(schema, random, { compiled }) ?? {};
    const refused = Array.from({ length: 60 }, () => mutate(base, random).object).filter((object) => {
      compiled.admit(object);
      return compiled.validate(object).length > 0;
    });
    expect(refused.length).toBeGreaterThan(10);
  });
});
