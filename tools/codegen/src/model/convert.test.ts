import type { JsonSchemaProps } from '@ordinal/schema';
import { describe, expect, test } from 'vitest';
import { convert } from './convert.ts';
import { ShapeTable, withNames } from './shape.ts';

/** Both forms of a schema, with the first name of each structure. */
const formsOf = (schema: JsonSchemaProps): { read: string; write: string; table: ShapeTable } => {
  const table = new ShapeTable();
  const { read, write } = convert({ kind: 'Kind', module: 'example.com/v1/kind', table }, schema, ['spec', 'field']);
  const nameOf = (id: number): string => table.shapes[id]?.names[0]?.name ?? '?';
  return { read: withNames(read.text, nameOf), write: withNames(write.text, nameOf), table };
};

const open = { 'x-kubernetes-preserve-unknown-fields': true } as const;
const intOrString = { 'x-kubernetes-int-or-string': true } as const;

/** One rule for each feature of real schemas. */
const rules: readonly (readonly [string, JsonSchemaProps, string])[] = [
  ['a string', { type: 'string' }, 'string'],
  ['an integer', { type: 'integer', format: 'int64' }, 'number'],
  ['a number', { type: 'number' }, 'number'],
  ['a boolean', { type: 'boolean' }, 'boolean'],
  ['a date-time is a string', { type: 'string', format: 'date-time' }, 'string'],
  ['int-or-string', { ...intOrString, anyOf: [{ type: 'integer' }, { type: 'string' }] }, 'number | string'],
  ['int-or-string without anyOf', intOrString, 'number | string'],
  ['int-or-string beside a type, which says nothing', { ...intOrString, type: 'string' }, 'number | string'],
  ['an enum of int-or-string', { ...intOrString, type: 'string', enum: ['a', 7] }, "'a' | 7"],
  ['int-or-string or null', { ...intOrString, nullable: true }, 'number | string | null'],
  ['a list of int-or-string', { type: 'array', items: intOrString }, 'readonly (number | string)[]'],
  ['any JSON', open, 'unknown'],
  ['any JSON with properties is any JSON still', { ...open, properties: { a: { type: 'string' } } }, 'unknown'],
  ['any JSON or null', { ...open, nullable: true }, 'unknown'],
  ['a free-form object', { type: 'object', ...open }, '{ readonly [key: string]: unknown }'],
  ['an object that keeps nothing', { type: 'object' }, '{ readonly [key: string]: never }'],
  ['a map', { type: 'object', additionalProperties: { type: 'string' } }, '{ readonly [key: string]: string }'],
  ['a map of anything', { type: 'object', additionalProperties: true }, '{ readonly [key: string]: unknown }'],
  [
    'a map of null',
    { type: 'object', additionalProperties: { type: 'string', nullable: true } },
    '{ readonly [key: string]: string | null }',
  ],
  [
    'a list of lists',
    { type: 'array', items: { type: 'array', items: { type: 'string' } } },
    'readonly (readonly string[])[]',
  ],
  ['a list or null', { type: 'array', nullable: true, items: { type: 'string' } }, '(readonly string[]) | null'],
  ['an enum', { type: 'string', enum: ['a', '', "it's", '>='] }, "'a' | '' | \"it's\" | '>='"],
  ['an enum that differs by case', { type: 'string', enum: ['replace', 'Replace'] }, "'replace' | 'Replace'"],
  ['an enum with a member twice', { type: 'string', enum: ['a', 'a'] }, "'a'"],
  ['an enum of numbers', { type: 'integer', enum: [1, -2] }, '1 | -2'],
  ['an enum of booleans', { type: 'boolean', enum: [true] }, 'true'],
  ['an enum of lists', { type: 'array', items: { type: 'string' }, enum: [['a'], []] }, "readonly ['a'] | readonly []"],
  [
    'an enum of objects',
    { type: 'object', additionalProperties: { type: 'string' }, enum: [{ a: 'b' }] },
    "{ readonly a: 'b' }",
  ],
  ['an enum or null', { type: 'string', nullable: true, enum: ['a'] }, "'a' | null"],
  ['an enum with null in it', { type: 'string', nullable: true, enum: ['a', null] }, "'a' | null"],
  ['an enum whose null is not allowed', { type: 'string', enum: ['a', null] }, "'a'"],
  ['an enum narrowed by allOf', { type: 'string', allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] }, "'b'"],
  ['an enum with no possible value', { type: 'string', enum: [] }, 'never'],
  ['value validation changes no type', { type: 'string', anyOf: [{ pattern: 'a' }], not: { enum: ['x'] } }, 'string'],
  ['an object has a name', { type: 'object', properties: { a: { type: 'string' } } }, 'KindSpecField'],
  [
    'a list of objects goes by its own name',
    { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
    'readonly KindSpecField[]',
  ],
];

describe('the type of', () => {
  test.each(rules)('%s', (_, schema, type) => {
    expect(formsOf(schema)).toMatchObject({ read: type, write: type });
  });
});

describe('forms', () => {
  test('a default makes a property optional to write and present to read', () => {
    const { read, write, table } = formsOf({
      type: 'object',
      properties: { a: { type: 'string', default: 'x' } },
      required: ['a'],
    });
    expect([read, write]).toEqual(['KindSpecField', 'KindSpecFieldInput']);
    expect(table.shapes.map(({ names, members }) => [names[0]?.name, members[0]?.optional])).toEqual([
      ['KindSpecFieldInput', true],
      ['KindSpecField', false],
    ]);
  });

  test('a null default of a field that is not nullable fills nothing in', () => {
    const { read, write } = formsOf({ type: 'object', properties: { a: { type: 'string', default: null } } });
    expect(read).toBe(write);
  });

  test('a default deep inside gives every structure above it two forms', () => {
    const deep = { type: 'object', properties: { c: { type: 'string', default: 'x' } } } satisfies JsonSchemaProps;
    const { table } = formsOf({ type: 'object', properties: { b: { type: 'array', items: deep } } });
    expect(table.shapes.map(({ names }) => names[0]?.name)).toEqual([
      'KindSpecFieldBInput',
      'KindSpecFieldB',
      'KindSpecFieldInput',
      'KindSpecField',
    ]);
  });
});

describe('structures', () => {
  const object = (properties: Record<string, JsonSchemaProps>, description = ''): JsonSchemaProps => ({
    type: 'object',
    description,
    properties,
  });

  test('that are equal are one, whatever is said of them as a whole', () => {
    const twin = (words: string): JsonSchemaProps => object({ x: { type: 'string', description: 'x' } }, words);
    const { table } = formsOf(object({ a: twin('first'), b: twin('second') }));
    expect(table.shapes.map(({ names }) => names.map(({ name }) => name))).toEqual([
      ['KindSpecFieldA', 'KindSpecFieldB'],
      ['KindSpecField'],
    ]);
  });

  test('that differ in a bound, a default or a rule are two', () => {
    const variants: JsonSchemaProps[] = [
      {},
      { description: 'Other words.' },
      { maxLength: 5 },
      { default: 'x' },
      { pattern: 'a' },
      { 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
    ];
    const properties = Object.fromEntries(
      variants.map((variant, index) => [`p${String(index)}`, object({ x: { type: 'string', ...variant } })]),
    );
    const names = formsOf(object(properties)).table.shapes.filter(({ names }) =>
      names.some(({ path }) => path.length === 3 && !names[0]?.input),
    );
    expect(names).toHaveLength(variants.length);
  });

  test('that keep unknown fields have them, beside what is known', () => {
    const { table } = formsOf({ ...object({ known: { type: 'integer' } }), ...open });
    expect(table.shapes[0]).toMatchObject({ members: [{ key: 'known' }], rest: { text: 'unknown' } });
  });

  test('in a list that keeps unknown fields keep them too', () => {
    const { table } = formsOf({ type: 'array', ...open, items: object({ a: { type: 'string' } }) });
    expect(table.shapes[0]?.rest).toEqual({ text: 'unknown' });
  });

  test('that are embedded resources have apiVersion, kind and metadata', () => {
    const { table } = formsOf({ type: 'object', 'x-kubernetes-embedded-resource': true, ...open });
    expect(table.shapes[0]?.members.map(({ key, optional }) => [key, optional])).toEqual([
      ['apiVersion', false],
      ['kind', false],
      ['metadata', true],
    ]);
  });

  test('have what is required and not described', () => {
    const { table } = formsOf({ ...object({}), ...open, required: ['a'] });
    expect(table.shapes[0]?.members).toMatchObject([{ key: 'a', optional: false, type: { text: 'unknown' } }]);
  });

  test('keep keys that differ only in punctuation or case apart', () => {
    const { table } = formsOf(
      object({
        mirrorPercent: object({ a: { type: 'string' } }),
        mirror_percent: object({ b: { type: 'string' } }),
        'mirror-percent': object({ c: { type: 'string' } }),
      }),
    );
    expect(new Set(table.shapes.flatMap(({ names }) => names.map(({ name }) => name))).size).toBe(4);
  });
});
