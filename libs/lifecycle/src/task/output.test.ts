import { describe, expect, test } from 'vitest';
import { boundedOutput, causeOfFailure, lastLine } from './output.ts';

describe('what is kept of an output', () => {
  test.each([
    ['connecting with password=hunter2 now', 'connecting with password=[hidden] now'],
    ['DB_PASSWORD: "two words" set', 'DB_PASSWORD: [hidden] set'],
    ['"apiKey": "abc123",', '"apiKey": [hidden],'],
    ['GET https://user:pw@host/x', 'GET https://user:[hidden]@host/x'],
    ['Authorization: Bearer abcdefgh.ijk', 'Authorization: Bearer [hidden]'],
    ['{"Authorization":"hunter2"}', '{"Authorization":[hidden]}'],
    [
      String.raw`"refused: {\"password\":\"two words\",\"user\":\"a\"}"`,
      String.raw`"refused: {\"password\":[hidden],\"user\":\"a\"}"`,
    ],
    ['key AKIAABCDEFGHIJKLMNOP used', 'key [hidden] used'],
    ['a\n-----BEGIN RSA PRIVATE KEY-----\nxyz\n-----END RSA PRIVATE KEY-----\nb', 'a\n[private key]\nb'],
    ['redis://:hunter2@cache:6379/0', 'redis://:[hidden]@cache:6379/0'],
    ['running dump --password hunter2 --port 1', 'running dump --password [hidden] --port 1'],
    ['-auth-token "two words" -v', '-auth-token [hidden] -v'],
    ['session eyJhbGciOi.eyJzdWIiOi.c2lnbmF0 ended', 'session [hidden] ended'],
    ['cut off: eyJhbGciOi.eyJzdW', 'cut off: [hidden]'],
    [`GET https://user:${'p'.repeat(3_000)}@host/x`, 'GET https://user:[hidden]@host/x'],
    ['see http://host:80/a and http://host:80/b', 'see http://host:80/a and http://host:80/b'],
    ['see http://host:80,http://user:pw@host', 'see http://host:[hidden]@host'],
    ['MIIEpAIBAAKCAQ==\n-----END RSA PRIVATE KEY-----\nb', '[private key]\nb'],
    ['\u001B[1mpassword\u001B[0m=hunter2', 'password=[hidden]'],
    ['\u001B]0;a title\u001B\\[INFO] a\r\n[INFO] b\u0007', '[INFO] a\n[INFO] b'],
    ['authorization: hunter2', 'authorization: [hidden]'],
    ['at //user:pw@host', 'at //user:[hidden]@host'],
    ['pa\u001B[0mssword=hunter2', 'password=[hidden]'],
    ['id ASIAABCDEFGHIJKLMNOP used', 'id [hidden] used'],
    ['BASIC dXNlcjpwdw==', 'BASIC [hidden]'],
    ['plain words: nothing to hide', 'plain words: nothing to hide'],
    ['the --tokens are many, no password is shown', 'the --tokens are many, no password is shown'],
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

// Where an expression tries every beginning of a long word, this does not end.
test.each([
  'a-',
  '\u001B[0',
  '\u001B]0',
  '\u001B[ ',
  'a.',
  '//a:',
  '//:',
  '-----END PRIVATE KEY----',
  'eyJa',
  'eyJaaaa-',
  'password ',
  'password\\',
  'authorization:',
  '--secret-',
  '"',
  '// ',
])('an output of nothing but %j is bounded too', (part) => {
  expect(boundedOutput(part.repeat((128 * 1024) / part.length)).length).toBeLessThanOrEqual(1024);
});

test('why a Job has failed is what the API says of it and the last line that it has printed, 256 characters of each', () => {
  expect(causeOfFailure('BackoffLimitExceeded: no more\nconnecting\nno room\n')).toBe(
    'BackoffLimitExceeded: no more: no room',
  );
  expect(causeOfFailure('DeadlineExceeded')).toBe('DeadlineExceeded');
  expect(causeOfFailure(`x\n${'y'.repeat(300)}`)).toBe(`x: ${'y'.repeat(256)}`);
  expect(causeOfFailure()).toBe('');
});
