import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { opened, sealedTokens } from './token.ts';

const key = createSecretKey(Buffer.alloc(32, 'a key of recordings'));
const token = sealedTokens(key);

test('what was sealed is opened with the same key, and stays as it is with another one', () => {
  const sealed = token('a password');
  expect(sealed).not.toContain('password');
  expect(opened({ texts: [sealed, 'as it is'] }, key)).toEqual({ texts: ['a password', 'as it is'] });
  expect(opened(token(''), key)).toBe('');
  expect(opened(sealed, createSecretKey(Buffer.alloc(32, 'another key')))).toBe(sealed);
});

/** A sealed text whose bytes are others. */
const changed = (text: string, change: (bytes: Buffer) => Buffer): string => {
  const [, sealed = ''] = /^\[sealed (.*)\]$/.exec(text) ?? [];
  return `[sealed ${change(Buffer.from(sealed, 'base64url')).toString('base64url')}]`;
};

test.each([
  ['[sealed x]', '[sealed x]'],
  ['less than a nonce', changed(token('a password'), (bytes) => bytes.subarray(0, 8))],
  ['less than a nonce and a tag', changed(token(''), (bytes) => bytes.subarray(0, -1))],
  ['a nonce alone', changed(token(''), (bytes) => bytes.subarray(0, 12))],
  ['another text', changed(token('a password'), (bytes) => Buffer.concat([bytes.subarray(0, -17), Buffer.alloc(17)]))],
])('a text that only looks like a sealed one stays as it is: %s', (_what, text) => {
  const object = { metadata: { annotations: { 'ordinal.dev/paused': text } } };
  expect(opened(object, key)).toEqual(object);
});
