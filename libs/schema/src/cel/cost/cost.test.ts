import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../compiled-schema.ts';
import type { JsonSchemaProps } from '../../schema-props.ts';
import { checkSchema } from '../../schema-check/check-schema.ts';
import { cel } from '../index.ts';
import { processorTime } from '../../../test/processor-time.ts';

const text = { type: 'string' } as const;
const advice =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

function schemaOf(spec: JsonSchemaProps): JsonSchemaProps {
  return { type: 'object', properties: { spec } };
}

function refusals(spec: JsonSchemaProps): readonly string[] {
  return checkSchema(schemaOf(spec), { path: 'schema', cel }).map(({ field, detail }) => `${field}: ${detail ?? ''}`);
}

function failures(spec: JsonSchemaProps, value: unknown): readonly string[] {
  const object = { spec: value } as Parameters<ReturnType<typeof compileSchema>['validate']>[0];
  return compileSchema(schemaOf(spec), { cel })
    .validate(object)
    .map(({ detail }) => detail ?? '');
}

const pairs = 'self.all(a, self.all(b, a == b))';

describe('the estimated cost of rules', () => {
  it.each<[string, JsonSchemaProps, string | undefined]>([
    ['of all pairs of an unbounded list', { type: 'array', items: text }, 'more than 100x'],
    [
      'of all pairs of a list of 1,000 long texts',
      { type: 'array', items: { ...text, maxLength: 100 }, maxItems: 1000 },
      '4.5x',
    ],
    ['of all pairs of a short list', { type: 'array', items: { ...text, maxLength: 10 }, maxItems: 100 }, undefined],
  ])('%s', (_, list, factor) => {
    const rules = [{ rule: pairs }];
    const wanted =
      factor === undefined
        ? []
        : [
            `schema.properties[spec].x-kubernetes-validations[0].rule: estimated rule cost exceeds budget by factor of ${factor} ${advice}`,
          ];
    const found = refusals({ ...list, 'x-kubernetes-validations': rules });
    expect(found.filter((each) => each.includes('[0].rule: estimated'))).toEqual(wanted);
  });

  it('counts how often a rule may run, and all rules together', () => {
    const item = { ...text, 'x-kubernetes-validations': [{ rule: "self.matches('^[a-z]+$')" }] };
    expect(refusals({ type: 'array', items: { ...item, maxLength: 10 }, maxItems: 10 })).toEqual([]);
    const found = refusals({ type: 'array', items: item });
    expect(found[0]).toContain('items.x-kubernetes-validations[0].rule: estimated rule cost exceeds budget');
    expect(found[1]).toContain('contributed to estimated rule cost total exceeding cost limit');
    expect(found[2]).toContain(
      'schema: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema',
    );
  });

  it('of a message expression', () => {
    const messageExpression = 'self.map(a, self.map(b, a + b).join()).join()';
    const spec: JsonSchemaProps = {
      type: 'array',
      items: text,
      'x-kubernetes-validations': [{ rule: 'true', messageExpression }],
    };
    expect(refusals(spec)[0]).toContain('[0].messageExpression: estimated messageExpression cost exceeds budget');
  });
});

describe('the cost of rules when they run', () => {
  const loops = 'lists.range(1000).all(a, lists.range(1000).all(b, a >= 0 && b >= 0))';

  it('ends one evaluation', () => {
    const spec: JsonSchemaProps = { ...text, 'x-kubernetes-validations': [{ rule: loops }, { rule: 'false' }] };
    expect(failures(spec, 'x')).toEqual([
      `'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${loops}`,
    ]);
  });

  it('ends all rules on an object', () => {
    const rule = 'lists.range(300).all(a, lists.range(300).all(b, a >= 0 && b >= 0))';
    const spec: JsonSchemaProps = { type: 'array', items: { ...text, 'x-kubernetes-validations': [{ rule }] } };
    expect(failures(spec, Array.from({ length: 10 }, String))).toEqual([]);
    expect(failures(spec, Array.from({ length: 1000 }, String))).toEqual([
      'validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });

  it('ends a message expression', () => {
    const spec: JsonSchemaProps = {
      ...text,
      'x-kubernetes-validations': [{ rule: 'false', messageExpression: `${loops} ? 'a' : 'b'` }],
    };
    expect(failures(spec, 'x')[0]).toContain('due to call cost exceeds limit for messageExpression');
  });

  it.each([
    'lists.range(900000000).size() > 0',
    `self.replace('', '${'x'.repeat(1000)}').replace('', '${'x'.repeat(1000)}').replace('', 'x').size() > 0`,
    "'%.999999f'.format([1.5]) != ''",
    `optional.of(self)${'.optMap(x, x + x)'.repeat(26)}.hasValue()`,
    "lists.range(60000).map(i, 'a').join().find('a*a*b') == ''",
    "lists.range(20000).map(i, 'a').join().indexOf(lists.range(10000).map(i, 'a').join() + 'b') >= 0",
  ])('bounds what %s takes', (rule) => {
    const started = processorTime();
    expect(failures({ ...text, 'x-kubernetes-validations': [{ rule }] }, 'x'.repeat(1000))).toHaveLength(1);
    expect(processorTime() - started).toBeLessThan(2000);
  });
});

describe('what is read', () => {
  it.each([
    ['1'.concat('+1'.repeat(300), ' > 0'), 'expression recursion limit exceeded: 250'],
    [`self${'.a'.repeat(40_000)}`, 'expression recursion limit exceeded: 250'],
    [`${'('.repeat(300)}true${')'.repeat(300)}`, 'expression recursion limit exceeded: 250'],
    [
      `true || '${'x'.repeat(100_000)}' == self`,
      'expression code point size exceeds limit: size: 100018, limit 100000',
    ],
  ])('refuses what is too deep or too long', (rule, words) => {
    expect(refusals({ ...text, 'x-kubernetes-validations': [{ rule }] })[0]).toContain(words);
  });

  it('takes any number of signs and terms', () => {
    const rules = [{ rule: `${'!'.repeat(50_000)}true` }, { rule: `true${' && true'.repeat(10_000)}` }];
    expect(refusals({ ...text, 'x-kubernetes-validations': rules })).toEqual([]);
  });
});
