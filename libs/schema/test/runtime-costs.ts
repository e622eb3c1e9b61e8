import type { JsonValue } from '../src/json.ts';
import type { JsonSchemaProps } from '../src/schema-props.ts';

/** Rules on a value of which there are larger and larger ones, until the API server gives their evaluation up. */
export interface RuntimeCost {
  readonly what: string;
  /** Of the value, with its rules. An API server takes it: by the estimate it is not too dear. */
  readonly schema: JsonSchemaProps;
  /** The value of a size. */
  readonly value: (size: number) => JsonValue;
  /** What the server (1.36.3) says of a value that is too large. */
  readonly refusal: string;
  /** The largest size that the server takes. Asked again by `npm run attack`. */
  readonly max: number;
}

const perRule = 'actual cost limit exceeded';
const perObject = 'running out of cost budget';

const times = <T>(size: number, of: (index: number) => T): T[] => Array.from({ length: size }, (_, i) => of(i));
const word = (index: number): string => `w${String(index).padStart(5, '0')}`;

const integers: JsonSchemaProps = { type: 'integer' };
const words = (maxLength: number): JsonSchemaProps => ({ type: 'string', maxLength });
const listOf = (items: JsonSchemaProps, maxItems: number, ...rules: readonly string[]): JsonSchemaProps => ({
  type: 'array',
  maxItems,
  items,
  'x-kubernetes-validations': rules.map((rule) => ({ rule })),
});
const ofNumbers = (what: string, maxItems: number, rule: string, max: number): RuntimeCost => ({
  ...{ what, schema: listOf(integers, maxItems, rule), refusal: perRule, max },
  value: (size) => times(size, () => 1),
});
const ofWords = (what: string, maxItems: number, rule: string, max: number): RuntimeCost => ({
  ...{ what, schema: listOf(words(20), maxItems, rule), refusal: perRule, max },
  value: (size) => times(size, word),
});

/** Each with the size at which the server ends its evaluation. */
export const runtimeCosts: readonly RuntimeCost[] = [
  ofNumbers('all in all', 1000, 'self.all(a, self.all(b, a >= 0 && b >= 0))', 377),
  ofNumbers('exists in exists', 1000, 'self.exists(a, self.exists(b, a + b < 0)) || true', 353),
  ofNumbers('exists_one in all', 1000, 'self.all(a, !self.exists_one(b, a == b) || true)', 446),
  ofNumbers('filter in filter', 300, 'self.filter(a, self.filter(b, a == b).size() > 0).size() >= 0', 249),
  ofNumbers('map in map', 300, 'self.map(a, self.map(b, a * b)).size() >= 0', 257),
  ofNumbers('three loops', 100, 'self.all(a, self.all(b, self.all(c, a + b + c > 0)))', 47),
  ofNumbers('a condition', 1000, 'self.all(a, self.all(b, a > b ? a > 0 : b > 0))', 353),
  ofNumbers('a sum in a loop', 1500, 'self.all(a, self.sum() >= a)', 997),
  ofNumbers('membership', 700, 'self.all(a, self.all(b, b in [1, 2, 3]))', 499),
  ofWords('equal texts', 600, 'self.all(a, self.all(b, a == b || a != b))', 333),
  ofWords('contains', 500, "self.all(a, self.all(b, a.contains('w') && b.contains('w')))", 377),
  ofWords('texts put together', 500, "self.all(a, self.all(b, a + b != ''))", 377),
  ofWords('a pattern', 500, "self.all(a, self.all(b, b.matches('^w[0-9]+$')))", 377),
  ofWords('replaced and split', 500, "self.all(a, self.all(b, b.replace('w', 'v').split('v').size() == 2))", 315),
  ofWords('an index in a text', 450, "self.all(a, self.all(b, b.indexOf('x') < 0 && a.lastIndexOf('w') == 0))", 377),
  ofWords('beginnings', 500, 'self.all(a, self.all(b, a.startsWith(b) || !b.endsWith(a) || true))', 316),
  {
    what: 'points in time',
    schema: listOf(words(40), 700, 'self.all(a, self.all(b, timestamp(a) <= timestamp(b)))'),
    value: (size) => times(size, () => '2026-01-01T00:00:00Z'),
    ...{ refusal: perRule, max: 353 },
  },
  {
    what: 'quantities',
    schema: listOf(words(20), 640, 'self.all(a, self.all(b, quantity(a).compareTo(quantity(b)) == 0))'),
    value: (size) => times(size, () => '100Mi'),
    ...{ refusal: perRule, max: 333 },
  },
  {
    what: 'keys of a map',
    schema: {
      type: 'object',
      maxProperties: 500,
      additionalProperties: integers,
      'x-kubernetes-validations': [{ rule: 'self.all(a, self.all(b, self[a] == self[b]))' }],
    },
    value: (size) => Object.fromEntries(times(size, (index) => [word(index), 1])),
    ...{ refusal: perRule, max: 353 },
  },
  {
    what: 'objects in lists',
    schema: listOf(
      { type: 'object', required: ['n'], properties: { n: integers, t: words(20) } },
      500,
      'self.all(a, self.exists(b, has(b.t) && b.n == a.n + 1) || a.n >= 0)',
    ),
    value: (size) => times(size, (index) => ({ n: index, t: 'x' })),
    ...{ refusal: perRule, max: 424 },
  },
  {
    what: 'all rules on an object together',
    schema: {
      type: 'array',
      maxItems: 100,
      items: listOf(integers, 100, ...times(6, (index) => `self.all(a, self.all(b, a + b > -${String(index + 1)}))`)),
    },
    value: (size) => times(size, () => times(100, () => 1)),
    ...{ refusal: perObject, max: 23 },
  },
];
