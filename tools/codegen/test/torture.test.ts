import { describe, expect, test } from 'vitest';
import { readDefinitions } from '../src/crd/read.ts';
import { CodegenError, generate } from '../src/index.ts';
import type { SourceText } from '../src/index.ts';
import { compileErrors } from './program.ts';

type Json = Readonly<Record<string, unknown>>;

const object = (properties: Json, more: Json = {}): Json => ({ type: 'object', properties, ...more });
const text = { type: 'string' };
const filled = { type: 'string', default: 'x' };
/** Both forms of everything: as written and, with its defaults, as read. */
const plain = object({ spec: object({ a: filled, sub: object({ b: filled }) }), status: object({ c: text }) });

const crd = (kind: string, schema: Json, change: Json = {}): Json => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${kind.toLowerCase()}s.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind, plural: `${kind.toLowerCase()}s` },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    ...change,
  },
});

const source = (manifest: Json): SourceText => ({ file: 'crd.json', text: JSON.stringify(manifest) });
const errorsOf = (crds: readonly Json[]): string[] =>
  compileErrors(generate(crds.map(source), { importExtension: '.ts' }));

describe('compiles under every strict flag', () => {
  test('whatever the kinds of a group are called', { timeout: 120_000 }, () => {
    const derived = 'Foo FooProps FooSpec FooStatus FooInput FooSpecInput FooPropsInput FooDefinition FooValidator';
    const globals =
      'Object Record Function Node Array String Promise Error Map Symbol Omit Partial Readonly Date Boolean Number JSON globalThis';
    const own =
      'Types Base Validators Constructs Clients Index Definitions KindValidator Defaulted KubernetesConstruct Client App Chart Manifest';
    const odd = 'postgresql a-b A-b-C AB aB2 K8s HTTPRoute null true class default Enum Delete Import';
    const kinds = [derived, globals, own, odd].flatMap((names) => names.split(' '));
    expect(errorsOf(kinds.map((kind) => crd(kind, plain)))).toEqual([]);
  });

  test('whatever properties are called', { timeout: 120_000 }, () => {
    const names = [
      ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype', 'then', 'length', 'name'],
      ...[
        '1st',
        '123',
        '0x10',
        '1e3',
        '-',
        '_',
        '.',
        ' ',
        '',
        '\0',
        '\u2028',
        '😀',
        '\ud800',
        '*/',
        '`${x}`',
        "'",
        '"',
      ],
    ];
    const all = (schema: Json): Json => Object.fromEntries(names.map((name) => [name, schema] as const));
    const crds = [
      crd('Root', object(all(text))),
      crd('Nested', object({ spec: object(all(object({ a: filled }))) })),
      crd('Required', object({ spec: object(all({ type: 'integer' }), { required: names }) }, { required: ['spec'] })),
      crd('Embedded', object({ spec: object(all(text), { 'x-kubernetes-embedded-resource': true }) })),
      crd(
        'Described',
        object({ spec: object({ a: text }, { 'x-kubernetes-preserve-unknown-fields': true, required: names }) }),
      ),
    ];
    expect(errorsOf(crds)).toEqual([]);
  });

  test(
    'where paths spell the same name, where structures nest deep, and where enums hold anything',
    { timeout: 120_000 },
    () => {
      const one = (key: string, type: string): Json => object({ [key]: { type } });
      const same = {
        aB: object({ c: one('x', 'integer') }),
        a: object({ bC: one('y', 'string'), b: object({ c: one('z', 'boolean') }) }),
        ...{ aBC: one('w', 'string'), ABC: one('v', 'string'), abc: one('q', 'string'), Abc: one('r', 'string') },
        ...{
          aBCInput: one('x', 'string'),
          foo: object({ x: filled }),
          fooInput: one('x', 'boolean'),
          FooInput: one('x', 'integer'),
        },
      };
      let deep: Json = filled;
      for (let level = 0; level < 300; level += 1) deep = object({ k: deep });
      const enums = {
        mixed: { type: 'string', enum: ['', null, 'x', 1, true, 'null', '\n', "'"] },
        any: { 'x-kubernetes-preserve-unknown-fields': true, enum: [1, '1', true, null, { a: null }, []] },
        port: { 'x-kubernetes-int-or-string': true, enum: [1, '1'] },
        numbers: { type: 'number', enum: [1.5, -0, 1e21, 1e-7] },
        nothing: { type: 'string', nullable: true, enum: [null], default: null },
        misfit: { type: 'integer', enum: ['a'], default: null },
        extended: { type: 'string', 'x-foo': { bar: null }, 'x-kubernetes-foo': 1, readOnly: true, $comment: 'x' },
      };
      const crds = [
        crd('Same', object({ spec: object(same) })),
        crd('Deep', object({ spec: deep })),
        crd('Enums', object({ spec: object(enums) })),
      ];
      expect(errorsOf(crds)).toEqual([]);
    },
  );
});

const yaml = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: things.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Thing, plural: things }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema: { type: object, properties: { spec: &s { type: object }, other: *s } }
`;
const messageOf = (given: string): string => {
  try {
    generate([{ file: 'a.yaml', text: given }]);
  } catch (error) {
    if (error instanceof CodegenError) return error.message;
    throw error;
  }
  return 'no error';
};

test.each([
  ['Windows line ends', yaml.replaceAll('\n', '\r\n')],
  ['a byte order mark', `\ufeff${yaml}`],
  ['tabs between words', yaml.replace('group: ', 'group:\t')],
  ['comments and an end', `# first\n---\n${yaml}...\n---\n`],
  [
    'JSON with tabs, in a list as the API server gives it',
    `{\n\t"kind": "CustomResourceDefinitionList",\n\t"apiVersion": "apiextensions.k8s.io/v1",\n\t"items": [${JSON.stringify({ metadata: { name: 'things.example.com' }, ...specOf(yaml) })}]\n}`,
  ],
])('%s make no difference', (_, given) => {
  const typesOf = (text: string): string | undefined =>
    generate([{ file: 'a.yaml', text }], { parts: ['types'] })
      .find(({ path }) => path.endsWith('thing.ts'))
      ?.text.replace(/^.*\n/, '');
  expect(typesOf(given)).toBe(typesOf(yaml));
});

test('the same CRD gives the same files from a file, from standard input and from a chart', () => {
  const from = (file: string, text: string): unknown => generate([{ file, text }]);
  const chart = `---\n# Source: chart/values.yaml\nkind: ConfigMap\n---\n# Source: chart/crds.yaml\n${yaml}`;
  expect(from('<stdin>', yaml)).toEqual(from('crds/thing.yaml', yaml));
  expect(from('<stdin>', chart)).toEqual(from('crds/thing.yaml', yaml));
});

function specOf(given: string): Json {
  const [definition] = readDefinitions([{ file: 'a.yaml', text: given }]);
  return { spec: definition?.manifest['spec'] };
}

test.each([
  [
    'an anchor in itself',
    yaml.replace('other: *s', 'other: &o { type: object, properties: { x: *o } }'),
    /a\.yaml:13: .*an anchor contains itself/,
  ],
  [
    'anchors that multiply',
    `a: &a [${'x,'.repeat(9)}x]\n${[...'bcdefgh'].map((name, index) => `${name}: &${name} [${`*${'abcdefg'.charAt(index)},`.repeat(10)}]`).join('\n')}\n${yaml}`,
    /anchors multiply/,
  ],
  ['infinity', yaml.replace('other: *s', 'other: { type: number, maximum: .inf }'), /Infinity is no number in JSON/],
  ['a YAML tag', yaml.replace('other: *s', 'other: { type: string, default: !!binary aGk= }'), /a YAML tag/],
  [
    '20,000 levels',
    `kind: CustomResourceDefinition\nx: ${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    /a\.yaml:2: .*nesting/,
  ],
  [
    '20,000 levels of JSON',
    `{"kind":"CustomResourceDefinition","x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    /nested more than 1000 deep/,
  ],
  [
    'a Helm template',
    `{{- if .Values.crds }}\n${yaml}{{- end }}\n`,
    /a\.yaml:1: a Helm template that is not rendered; render the chart first/,
  ],
  [
    'a Helm template among labels',
    yaml.replace('metadata: {', 'metadata:\n  {{- include "labels" . }}\n  x: {'),
    /a\.yaml:4: a Helm template/,
  ],
  ['a Helm value', yaml.replace('group: example.com', 'group: {{ .Values.group }}'), /a\.yaml:5: a Helm template/],
])('%s is refused in one line with its place', (_, given, message) => {
  expect(messageOf(given)).toMatch(message);
});

test.each([
  ['description', 5, 'text'],
  ['pattern', 5, 'text'],
  ['minimum', '5', 'a number'],
  ['maxLength', 1.5, 'a whole number'],
  ['required', [1], 'a list of text'],
  ['enum', 5, 'a list'],
  ['x-kubernetes-list-map-keys', 'a', 'a list of text'],
  ['x-kubernetes-validations', {}, 'a list of objects'],
  ['x-kubernetes-validations', [null], 'a list of objects'],
])('%s: %j is refused with its path: it has to be %s', (key, value, words) => {
  const message = messageOf(JSON.stringify(crd('Thing', object({ spec: { ...object({}), [key]: value } }))));
  expect(message).toContain(`properties.spec.${key}: ${key} has to be ${words}`);
});

test.each<readonly [Json, string]>([
  [{ additionalPrinterColumns: {} }, 'additionalPrinterColumns has to be a list of objects'],
  [{ additionalPrinterColumns: [{}] }, 'name is missing'],
  [{ subresources: { scale: {} } }, 'specReplicasPath is missing'],
  [{ deprecationWarning: 5 }, 'deprecationWarning has to be text'],
  [{ served: 'true' }, 'served has to be true or false'],
  [{ storage: false }, '0 versions have storage: true'],
])('a version with %j is refused', (change, message) => {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: plain }, ...change };
  expect(messageOf(JSON.stringify(crd('Thing', plain, { versions: [version] })))).toContain(message);
});

describe('a CEL rule that can not be evaluated', () => {
  const ruled = (rule: string): string =>
    yaml.replace(
      'other: *s',
      `other:\n            { type: string, x-kubernetes-validations: [{ rule: "self.size() > 0" }, { rule: ${JSON.stringify(rule)} }] }`,
    );

  test.each([
    [
      'self.nonsense()',
      /a\.yaml:14: example\.com\/v1 Thing: .*properties\[other\]\.x-kubernetes-validations\[1\]\.rule: /,
    ],
    ['self +', /a\.yaml:14: /],
    ['self.size()', /a\.yaml:14: /],
  ])('%s is refused with its path and line', (rule, message) => {
    expect(messageOf(ruled(rule))).toMatch(message);
  });

  test('is no concern of types and clients', () => {
    const sources = [{ file: 'a.yaml', text: ruled('self.nonsense()') }];
    expect(generate(sources, { parts: ['types', 'clients'] }).length).toBeGreaterThan(0);
  });
});

describe('a default that breaks a rule', () => {
  const rules = 'x-kubernetes-validations: [{ rule: "self == \'y\'" }]';
  const broken = yaml.replace('other: *s', `other:\n            { type: string, default: x, ${rules} }`);

  test('is refused with its path and line, as an API server refuses it', () => {
    expect(messageOf(broken)).toBe(
      'a.yaml:14: example.com/v1 Thing: an API server refuses the schema at properties.other.default: Invalid value: "x": failed rule: self == \'y\'; correct the schema',
    );
  });
});
