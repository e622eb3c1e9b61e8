import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { canonicalJson } from './canonical.ts';
import { seal, verifySeal } from './seal.ts';

const key = createSecretKey(Buffer.alloc(32, 'one'));
const other = createSecretKey(Buffer.alloc(32, 'two'));
const subject = {
  descriptor: { group: 'a.example', kind: 'Thing' },
  metadata: { namespace: 'shop', name: 'one', uid: 'u1' },
};
const sealed = { purpose: 'status', item: { a: 1, b: [{ c: 2 }] } } as const;
const mac = seal(key, subject, sealed);

test('the same value has the same text in whichever order its fields come', () => {
  expect(canonicalJson({ b: { d: 1, c: undefined }, a: [2, 1] })).toBe('{"a":[2,1],"b":{"d":1}}');
  expect(canonicalJson({ a: [2, 1], b: { d: 1 } })).toBe('{"a":[2,1],"b":{"d":1}}');
});

test('a seal holds for what it was made for, with any key that is left', () => {
  expect(verifySeal([other, key], subject, { purpose: 'status', item: { b: [{ c: 2 }], a: 1 }, seal: mac })).toBe(true);
  expect(verifySeal([other], subject, { ...sealed, seal: mac })).toBe(false);
  expect(verifySeal([], subject, { ...sealed, seal: mac })).toBe(false);
});

test.each([
  ['another object', { ...subject, metadata: { ...subject.metadata, uid: 'u2' } }, sealed],
  ['another kind', { ...subject, descriptor: { ...subject.descriptor, kind: 'Other' } }, sealed],
  ['another purpose', subject, { ...sealed, purpose: 'job' as const }],
  ['another item', subject, { ...sealed, item: { a: 1, b: [{ c: 3 }] } }],
])('and not for %s', (_what, of, item) => {
  expect(verifySeal([key], of, { ...item, seal: mac })).toBe(false);
});

test.each([undefined, '', 'x', `${mac}x`, mac.slice(1)])('%j is no seal', (given) => {
  expect(verifySeal([key], subject, { ...sealed, seal: given })).toBe(false);
});
