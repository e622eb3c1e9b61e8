import { describe, expect, test } from 'vitest';
import { CodegenError } from '../error.ts';
import { readDefinitions } from './read.ts';

const crd = (change: (yaml: string) => string = (yaml) => yaml): string =>
  change(`apiVersion: apiextensions.k8s.io/v1
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
        openAPIV3Schema:
          type: object
          properties:
            spec: { type: object }
`);

const read = (text: string, file = 'a.yaml') => readDefinitions([{ file, text }]);
const messageOf = (text: string): string => {
  try {
    read(text);
  } catch (error) {
    if (error instanceof CodegenError) return error.message;
    throw error;
  }
  return 'no error';
};

describe('a CRD is found', () => {
  test('among the other objects of a chart, with its own line and hash', () => {
    const [found] = read(
      `# Source: x\n---\nkind: ConfigMap\ndata: { a: "CustomResourceDefinition" }\n---\n${crd()}---\n`,
    );
    expect(found?.source).toMatchObject({ file: 'a.yaml', line: 5 });
    expect(found?.source.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  test('in a List', () => {
    const item = crd().replace(/^/gm, '    ').replace('    ', '  - ');
    expect(read(`kind: List\nitems:\n${item}`)).toHaveLength(1);
  });

  test('in JSON', () => {
    expect(read(JSON.stringify({ ...read(crd())[0]?.manifest }))).toHaveLength(1);
  });

  test('with Windows line ends and a byte order mark', () => {
    expect(read(`\ufeff${crd().replaceAll('\n', '\r\n')}`)).toHaveLength(1);
  });
});

test('scalars are read as kubectl reads them', () => {
  const schema =
    'spec: { type: object, x-kubernetes-preserve-unknown-fields: true, default: { a: on, b: 0644, c: 2001-01-01, d: "on", e: 1e3, f: ~, g: 1_000, h: 1_0.5, i: 1_000Mi } }';
  const [found] = read(crd((yaml) => yaml.replace('spec: { type: object }', schema)));
  const root = found?.versions[0]?.schema.openAPIV3Schema;
  expect(root?.properties?.['spec']?.default).toEqual({
    a: true,
    b: 420,
    c: '2001-01-01',
    d: 'on',
    e: 1000,
    f: null,
    g: 1000,
    h: 10.5,
    i: '1_000Mi',
  });
});

/** Each failure in one line: where, what, what to do. */
const failures: readonly (readonly [string, string, RegExp])[] = [
  ['text that is not YAML', 'a: [1\nb: 2\n', /^a\.yaml:\d: not YAML: .*; correct the YAML there$/],
  [
    'two files that were joined without a marker',
    `${crd()}${crd()}`,
    /^a\.yaml:17: not YAML: duplicated mapping key; put --- between two documents$/,
  ],
  [
    'a template that was not rendered',
    'kind: CustomResourceDefinition\n{{ if .Values.x }}\na: b\n',
    /^a\.yaml:\d: a Helm template that is not rendered; render the chart first/,
  ],
  ['an empty file', '\n# nothing\n', /^a\.yaml:1: no CRD: it is empty; give a file/],
  ['another object', 'kind: ConfigMap\n', /^a\.yaml:1: no CRD: no document has kind/],
  [
    'v1beta1',
    crd((yaml) => yaml.replace('apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1')),
    /^a\.yaml:1: .*v1beta1 is not served.*convert/,
  ],
  ['a missing kind', crd((yaml) => yaml.replace('kind: Thing, ', '')), /^a\.yaml:7: spec\.names\.kind is missing/],
  ['a scope that is none', crd((yaml) => yaml.replace('Namespaced', 'Galaxy')), /^a\.yaml:6: spec\.scope/],
  ['no version', crd((yaml) => yaml.replace(/versions:[^]*/, 'versions: []\n')), /^a\.yaml:8: spec\.versions is empty/],
  [
    'a version without a schema',
    crd((yaml) => yaml.replace(/ {6}schema:[^]*/, '')),
    /^a\.yaml:9: the version v1 has no schema/,
  ],
  [
    'a schema that is not structural',
    crd((yaml) => yaml.replace('{ type: object }', '{ typo: object }')),
    /^a\.yaml:16: example\.com\/v1 Thing: an API server refuses the schema at properties\.spec\.type: Required value: .*; give a type, or say x-kubernetes-preserve-unknown-fields or x-kubernetes-int-or-string$/,
  ],
  [
    'a group that leaves the folder',
    crd((yaml) => yaml.replace('group: example.com', 'group: ../../etc')),
    /^a\.yaml:5: spec\.group \.\.\/\.\.\/etc is not a DNS name/,
  ],
  [
    'a kind that is code',
    crd((yaml) => yaml.replace('kind: Thing', 'kind: "X{}; evil("')),
    /^a\.yaml:7: spec\.names\.kind .* is not a DNS label/,
  ],
  [
    'a name used twice',
    `${crd()}---\n${crd()}`,
    /^a\.yaml:17: the plural things of group example\.com is defined twice \(first in a\.yaml:1\)/,
  ],
  [
    'a default that JavaScript would change',
    crd((yaml) => yaml.replace('{ type: object }', '{ type: integer, default: 9007199254740993 }')),
    /^a\.yaml:16: .*spec\.default: an integer beyond 2\^53 is not exact in JavaScript/,
  ],
  [
    'a default that breaks its own schema',
    crd((yaml) =>
      yaml.replace(
        'spec: { type: object }',
        'spec:\n              type: object\n              properties:\n                a.b:\n                  type: string\n                  maxLength: 3\n                  default: four',
      ),
    ),
    /^a\.yaml:22: example\.com\/v1 Thing: an API server refuses the schema at properties\.spec\.properties\.a\.b\.default: Too long: may not be more than 3 bytes; correct the schema$/,
  ],
  [
    'a list whose keys may be absent',
    crd((yaml) =>
      yaml.replace(
        '{ type: object }',
        '{ type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], items: { type: object, properties: { a: { type: string } } } }',
      ),
    ),
    /^a\.yaml:16: .*: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property/,
  ],
  [
    'a mistake in an anchored part',
    crd((yaml) =>
      yaml.replace('spec: { type: object }', 'spec: &part\n              type: objet\n            more: *part'),
    ),
    /^a\.yaml:17: .*objet/,
  ],
  [
    'a mistake that a merge key brings',
    `x-part: &part\n  type: object\n  properties: { a: { type: text } }\n${crd((yaml) => yaml.replace('{ type: object }', '{ <<: *part }'))}`,
    /^a\.yaml:3: .*text/,
  ],
  [
    'a version used twice',
    crd((yaml) => yaml + yaml.slice(yaml.indexOf('    - name: v1'))),
    /^a\.yaml:17: the version v1 is defined twice/,
  ],
];

test.each(failures)('%s is refused in one line', (_, text, message) => {
  expect(messageOf(text)).toMatch(message);
  expect(messageOf(text)).not.toContain('\n');
});

test('definitions are sorted by name, not by their place', () => {
  const second = crd((yaml) => yaml.replaceAll('things', 'anothers').replaceAll('Thing', 'Another'));
  expect(read(`${crd()}---\n${second}`).map(({ names }) => names.plural)).toEqual(['anothers', 'things']);
});
