import { expect, test } from 'vitest';
import { fieldErrorMessage } from './field-error.ts';
import type { JsonObject } from './json.ts';
import { checkMetadata } from './metadata.ts';

const messages = (metadata: JsonObject): string[] => checkMetadata(metadata).errors.map(fieldErrorMessage);

test('nothing is said against what a server takes', () => {
  expect(
    messages({ name: 'a.b-c', namespace: 'shop', labels: { 'x.y/z': 'A_1', e: '' }, annotations: { A: 'é' } }),
  ).toEqual([]);
  expect(messages({ generateName: 'web-' })).toEqual([]);
  expect(messages({})).toEqual([]);
});

test.each<[JsonObject, string]>([
  [{ name: 'Not Good' }, 'metadata.name: Invalid value: "Not Good": a lowercase RFC 1123 subdomain must consist of'],
  [{ name: 'a', namespace: 'a.b' }, 'metadata.namespace: Invalid value: "a.b": must not contain dots'],
  [{ name: 'a', labels: { 'a b': 'x' } }, 'metadata.labels: Invalid value: "a b": name part must consist of'],
  [{ name: 'a', labels: { a: 'x y' } }, 'metadata.labels: Invalid value: "x y": a valid label must be an empty string'],
  [{ name: 'a', finalizers: ['a b'] }, 'metadata.finalizers: Invalid value: "a b": name part must consist of'],
  [
    { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '' }] },
    'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
  ],
  [{ name: 5 }, 'metadata: Invalid value: json: cannot unmarshal number'],
])('%j is refused', (metadata, message) => {
  expect(messages(metadata)[0]).toContain(message);
});

test('fields that Kubernetes does not know are reported', () => {
  expect(checkMetadata({ name: 'a', nmae: 'b' }).unknownFields).toEqual(['metadata.nmae']);
});
