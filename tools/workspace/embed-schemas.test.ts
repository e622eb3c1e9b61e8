import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { embedInCrds } from './embed-schemas/crds.ts';
import { embedSchemas } from './embed-schemas/marker.ts';
import { firstSentence } from './embed-schemas/published.ts';
import type { PublishedSchemas } from './embed-schemas/published.ts';
import { embedFragments } from './embed-schemas/shared.ts';
import { structuralSchema } from './embed-schemas/structural.ts';

const stored = JSON.parse(
  readFileSync(join(import.meta.dirname, 'embed-schemas/kubernetes.json'), 'utf8'),
) as PublishedSchemas;

const at = (schema: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], schema);

const set = structuralSchema(stored, 'io.k8s.api.apps.v1.StatefulSetSpec', { overlay: false });
const overlay = structuralSchema(stored, 'io.k8s.api.core.v1.PodTemplateSpec', { overlay: true });
const container = 'properties.spec.properties.containers.items';

test('the metadata of templates is spelled out, so that labels are not pruned', () => {
  expect(at(set, 'properties.template.properties.metadata.properties.labels.additionalProperties')).toEqual({
    type: 'string',
  });
});

test('the keys of list entries are required or have a default, also in an overlay', () => {
  expect(at(overlay, `${container}.required`)).toEqual(['name']);
  expect(at(overlay, `${container}.properties.ports.items.properties.protocol.default`)).toBe('TCP');
});

test('an overlay requires nothing else', () => {
  expect(at(set, 'required')).toEqual(['selector', 'template']);
  expect(at(overlay, 'properties.spec.required')).toBeUndefined();
});

test('quantities and ports by number or name are int-or-string', () => {
  expect(
    at(overlay, `${container}.properties.resources.properties.limits.additionalProperties.x-kubernetes-int-or-string`),
  ).toBe(true);
  expect(
    at(overlay, `${container}.properties.livenessProbe.properties.httpGet.properties.port.x-kubernetes-int-or-string`),
  ).toBe(true);
});

test.each([
  ['One sentence. Two.', 'One sentence.'],
  ['Required. A list of terms. They are ORed.', 'Required. A list of terms.'],
  ['Use e.g. This one. Two.', 'Use e.g. This one.'],
  ['A heading\n\nmore', 'A heading'],
  ['See https://a.b/c for it. Then more', 'See https://a.b/c for it.'],
])('the first sentence of %j', (text, sentence) => {
  expect(firstSentence(text)).toBe(sentence);
});

test('what is outside the markers stays, and writing again changes nothing', () => {
  const yaml = 'a:\n  # embedded: io.k8s.api.apps.v1.StatefulSetOrdinals\nb: 1\n';
  const once = embedSchemas(yaml, stored);
  expect(once).toContain('  # embedded ends here\nb: 1\n');
  expect(embedSchemas(once, stored)).toBe(once);
});

test('an unknown type is refused with its line', () => {
  expect(() => embedSchemas('a:\n  # embedded: io.k8s.Nothing\n', stored)).toThrow(
    'io.k8s.Nothing is not in the stored schemas',
  );
});

const fragments = new Map([
  ['ports', '# Shared by two kinds.\nport:\n  description: >-\n    The port. <port> unless given.\n  type: integer\n'],
]);

test('the fields of a fragment are written with the words of the CRD, and writing again changes nothing', () => {
  const yaml = 'a:\n  # shared: ports\n  #   port: `spec.port`\n  last: 1\n'.replace('`spec.port`', "'`spec.port`'");
  const once = embedFragments(yaml, fragments);
  expect(parse(once)).toEqual({
    a: { port: { description: 'The port. `spec.port` unless given.', type: 'integer' }, last: 1 },
  });
  expect(once).not.toContain('Shared by two kinds');
  expect(embedFragments(once, fragments)).toBe(once);
  const changed = new Map([['ports', 'other: {}\n']]);
  expect(parse(embedFragments(once.replace(/ +# {3}port.*\n/, ''), changed))).toEqual({ a: { other: {}, last: 1 } });
});

test.each([
  ['# shared: pots', 'there is no fragment pots'],
  ['# shared: ports', 'the fragment ports needs a word for <port>'],
  ['# shared: ports\n#   port: x\n#   host: y', 'the fragment ports has no <host>'],
  ['# shared ends here', 'has no "# shared:" above it'],
])('the marker %j is refused', (yaml, message) => {
  expect(() => embedFragments(yaml, fragments)).toThrow(message);
});

test('the CRDs carry what the fragments and the stored schemas give', () => {
  expect(embedInCrds({ check: true })).toEqual([]);
});
