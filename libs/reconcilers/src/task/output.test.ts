import { describe, expect, test } from 'vitest';
import { boundedOutput, lastLine } from './output.ts';

describe('what is kept of an output', () => {
  test.each([
    ['connecting with password=hunter2 now', 'connecting with password=[hidden] now'],
    ['DB_PASSWORD: "two words" set', 'DB_PASSWORD: [hidden] set'],
    ['"apiKey": "abc123",', '"apiKey": [hidden],'],
    ['GET https://user:pw@host/x', 'GET https://user:[hidden]@host/x'],
    ['Authorization: Bearer abcdefgh.ijk', 'Authorization: Bearer [hidden]'],
    ['key AKIAABCDEFGHIJKLMNOP used', 'key [hidden] used'],
    ['a\n-----BEGIN RSA PRIVATE KEY-----\nxyz\n-----END RSA PRIVATE KEY-----\nb', 'a\n[private key]\nb'],
    ['plain words: nothing to hide', 'plain words: nothing to hide'],
  ])('%j', (output, kept) => {
    expect(boundedOutput(output)).toBe(kept);
  });

  test('is the end of it, ten lines and 1,024 characters at most', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n');
    expect(boundedOutput(`${lines}\n`).split('\n')).toEqual(
      Array.from({ length: 10 }, (_, index) => `line ${30 + index}`),
    );
    expect(boundedOutput('x'.repeat(5_000))).toHaveLength(1024);
  });
});

test('the last line that says something', () => {
  expect(lastLine('made\ns3://backups/one\n\n')).toBe('s3://backups/one');
  expect(lastLine('\n')).toBeUndefined();
});
