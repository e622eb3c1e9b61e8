import type { JsonSchemaProps } from '@ordinal/schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Definition } from '../crd/definition.ts';
import { modelsOf, moduleAlias } from './kind.ts';
import { inputName, pathName } from './name.ts';

const definition = (versions: Readonly<Record<string, JsonSchemaProps>>): Definition => ({
  source: { file: 'x.yaml', line: 1, hash: '0', text: '' },
  root: [],
  manifest: {},
  group: 'example.com',
  names: { kind: 'Thing', plural: 'things' },
  scope: 'Namespaced',
  versions: Object.entries(versions).map(([name, openAPIV3Schema], index) => ({
    name,
    served: true,
    storage: index === 0,
    schema: { openAPIV3Schema },
  })),
});

const object = (properties: Record<string, JsonSchemaProps>): JsonSchemaProps => ({ type: 'object', properties });
const text: JsonSchemaProps = { type: 'string' };

/** Every name that a version exports. */
const namesOf = (versions: Readonly<Record<string, JsonSchemaProps>>, version = 'v1'): string[] =>
  modelsOf([definition(versions)])
    .filter((model) => model.version.name === version)
    .flatMap(({ structures, borrowed }) => [
      ...structures.flatMap(({ name, aliases }) => [name, ...aliases]),
      ...borrowed.flatMap(({ aliases }) => aliases),
    ])
    .sort();

describe('names', () => {
  const before = object({
    spec: object({
      target: object({ host: object({ port: { type: 'integer' } }) }),
      other: object({ input: object({ a: text }) }),
    }),
  });

  test.each([
    ['an equal structure before it', { attempt: object({ host: object({ port: { type: 'integer' } }) }) }],
    ['an equal structure with a shorter path', { host: object({ port: { type: 'integer' } }) }],
    ['a default elsewhere', { mode: { type: 'string', default: 'x' } }],
    ['a key that looks like a form', { Input: text }],
  ])('do not change when %s is added', (_, added) => {
    const spec = { ...before.properties?.['spec'] };
    const after = object({
      spec: { ...spec, properties: { ...spec.properties, ...(added as Record<string, JsonSchemaProps>) } },
    });
    expect(namesOf({ v1: after })).toEqual(expect.arrayContaining(namesOf({ v1: before })));
  });

  test('are the same in a version that shares its structures and in one that does not', () => {
    expect(namesOf({ v2: before, v1: before })).toEqual(namesOf({ v1: before }));
  });

  const one = { a: object({ bC: object({ one: text }) }) };
  const two = { aB: object({ c: object({ two: text }) }) };
  const capital = { A: object({ b: object({ c: object({ three: text }) }) }) };

  test.each([
    ['one', one],
    ['the other', two],
    ['the third', capital],
  ])('of paths that would spell the same: %s keeps its name when the others are added', (_, alone) => {
    const before = namesOf({ v1: object({ ...alone }) });
    const after = namesOf({ v1: object({ ...one, ...two, ...capital }) });
    expect(new Set(after).size).toBe(after.length);
    expect(after).toEqual(expect.arrayContaining(before));
  });

  test('of the values of a map stay when one of its keys becomes required', () => {
    const map: JsonSchemaProps = { type: 'object', additionalProperties: object({ one: text }) };
    const before = namesOf({ v1: object({ map }) });
    const after = namesOf({ v1: object({ map: { ...map, required: ['a'] } }) });
    const twice = namesOf({
      v1: object({ map: { type: 'object', required: ['b'], additionalProperties: { ...map, required: ['a'] } } }),
    });
    expect(before).toContain('ThingMap');
    for (const names of [after, twice]) {
      expect(names).toEqual(expect.arrayContaining(before));
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test('differ for any two paths', () => {
    const key = fc.oneof(fc.stringMatching(/^[aAbB_-]{1,4}$/), fc.constantFrom('input', 'Input', 'aInput', 'x1', '1x'));
    const path = fc.array(key, { maxLength: 4 });
    fc.assert(
      fc.property(path, path, (left, right) => {
        fc.pre(left.join('.') !== right.join('.'));
        expect(pathName('Thing', left)).not.toBe(pathName('Thing', right));
        expect(pathName('Thing', left)).not.toBe(inputName(pathName('Thing', right)));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('versions', () => {
  test('declare what they have in common once, in the stored one', () => {
    const models = modelsOf([
      definition({ v2: object({ spec: object({ a: text }) }), v1: object({ spec: object({ a: text }) }) }),
    ]);
    expect(models.map(({ structures }) => structures.map(({ name }) => name))).toEqual([
      ['Thing', 'ThingInput', 'ThingSpec'],
      ['Thing', 'ThingInput'],
    ]);
    expect(models[1]?.borrowed).toEqual([
      { module: 'example.com/v2/thing', name: 'ThingSpec', aliases: ['ThingSpec'] },
    ]);
  });

  test('that are not served are left out', () => {
    const source = definition({ v2: object({}), v1: object({}) });
    const [first, second] = source.versions;
    const versions = first === undefined || second === undefined ? [] : [first, { ...second, served: false }];
    expect(modelsOf([{ ...source, versions }]).map(({ version }) => version.name)).toEqual(['v2']);
  });
});

describe('kinds', () => {
  const named = (kind: string, schema: JsonSchemaProps, group = 'example.com'): Definition => ({
    ...definition({ v1: schema }),
    group,
    names: { kind, plural: `${kind.toLowerCase()}s` },
  });
  const part = (description: string): JsonSchemaProps => object({ host: { ...text, description } });

  test('declare what they have in common once, and each has its own name for it', () => {
    const [first, second] = modelsOf([
      named('A', object({ spec: part('Where it is.') })),
      named('B', object({ spec: part('Where it is.') })),
    ]);
    expect(first?.structures.map(({ name }) => name)).toContain('ASpec');
    expect(second?.borrowed).toEqual([{ module: 'example.com/v1/a', name: 'ASpec', aliases: ['BSpec'] }]);
  });

  test('of other groups share it too, also where kind and version are called alike', () => {
    const spec = part('Where it is.');
    const [, second, third] = modelsOf([
      named('A', object({ spec })),
      named('A', object({ spec, status: spec }), 'example.org'),
      named('B', object({ spec: object({ deep: spec }) }), '3scale.net'),
    ]);
    expect(second?.borrowed).toEqual([{ module: 'example.com/v1/a', name: 'ASpec', aliases: ['ASpec', 'AStatus'] }]);
    expect(second?.structures.find(({ name }) => name === 'AInput')?.members.at(-1)?.type.text).toBe(
      'example$com$v1$a.ASpec',
    );
    expect(third?.borrowed).toEqual([{ module: 'example.com/v1/a', name: 'ASpec', aliases: ['BSpecDeep'] }]);
  });

  test('are imported under names that are names, and differ', () => {
    expect(moduleAlias('cert-manager.io/v1/issuer', 'cert-manager.io')).toBe('v1$issuer');
    expect(moduleAlias('cert-manager.io/v1/issuer', 'manager.io')).toBe('cert_manager$io$v1$issuer');
    expect(moduleAlias('3scale.net/v1/issuer', 'example.com')).toBe('$3scale$net$v1$issuer');
  });

  test('share nothing of which other words are said', () => {
    const [, second] = modelsOf([
      named('A', object({ spec: part('Where it is.') })),
      named('B', object({ spec: part('Where it was.') })),
    ]);
    expect(second?.borrowed).toEqual([]);
    expect(second?.structures.map(({ name }) => name)).toContain('BSpec');
  });
});

test('properties are sorted, whatever their order in the CRD', () => {
  const forward = modelsOf([definition({ v1: object({ spec: object({ a: text, b: text }) }) })])[0]?.structures;
  const backward = modelsOf([definition({ v1: object({ spec: object({ b: text, a: text }) }) })])[0]?.structures;
  expect(forward).toEqual(backward);
});

describe('a field that is added', () => {
  const key = fc.constantFrom(
    'target',
    'host',
    'input',
    'Input',
    'matchLabels',
    'spec',
    'a',
    'aB',
    'bC',
    'b',
    'c',
    'C',
    'x-y',
    '1st',
  );
  const { schema } = fc.letrec<{ schema: JsonSchemaProps; field: JsonSchemaProps }>((tie) => ({
    field: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<JsonSchemaProps>(text, { type: 'integer' }, { type: 'string', default: 'x' }),
      fc.oneof(
        tie('schema'),
        tie('schema').map((items): JsonSchemaProps => ({ type: 'array', items })),
        tie('schema').map((additionalProperties): JsonSchemaProps => ({ type: 'object', additionalProperties })),
      ),
    ),
    schema: fc.dictionary(key, tie('field'), { minKeys: 1, maxKeys: 4 }).map(object),
  }));

  /** Puts a field into one of the objects of a schema. */
  const withField = (node: JsonSchemaProps, field: JsonSchemaProps, turn: number): JsonSchemaProps => {
    const keys = Object.keys(node.properties ?? {}).filter((name) => node.properties?.[name]?.properties !== undefined);
    const below = turn % 2 === 0 ? keys[(turn >> 1) % keys.length] : undefined;
    const inner = below === undefined ? undefined : node.properties?.[below];
    const [name, value] =
      below === undefined || inner === undefined ? ['added', field] : [below, withField(inner, field, turn >> 2)];
    return { ...node, properties: { ...node.properties, [name]: value } };
  };

  test('takes no name away, whatever the schema and wherever it is added', () => {
    fc.assert(
      fc.property(schema, schema, fc.nat(), (spec, field, turn) => {
        const before = namesOf({ v1: object({ spec }) });
        expect(namesOf({ v1: object({ spec: withField(spec, field, turn) }) })).toEqual(expect.arrayContaining(before));
      }),
    );
  });
});
