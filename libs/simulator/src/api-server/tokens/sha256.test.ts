import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { keyedHash, sha256 } from './sha256.ts';

const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => (index * 37 + 11) & 255);
const hex = (digest: Uint8Array): string => Buffer.from(digest).toString('hex');

test.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 1000])('the digest of %i bytes is that of Node', (length) => {
  expect(hex(sha256(bytes(length)))).toBe(createHash('sha256').update(bytes(length)).digest('hex'));
});

test.each([1, 32, 64, 65, 200])('the keyed hash with a key of %i bytes is that of Node', (length) => {
  const expected = createHmac('sha256', bytes(length)).update(bytes(99)).digest('hex');
  expect(hex(keyedHash(bytes(length), bytes(99)))).toBe(expected);
});
