import { describe, expect, test } from 'vitest';
import { parseGoDuration } from '../go-duration.ts';
import { isEmail } from './email.ts';
import { isDuration } from './time.ts';

const fill = (part: string): string => part.repeat((256 * 1024) / part.length);

// Read in more than one way, or from each place anew, none of these comes to an end.
describe.each(['1', '0', '1.', '.', '1 ', '1s', 'a', 'a.', 'a ', '"a"', '"a', '(a)', 'a@', '<a', '\t'])(
  'a text of nothing but %j is refused or read in one pass',
  (part) => {
    test.each([
      ['a duration', isDuration],
      ['a duration of Go', parseGoDuration],
      ['an address', isEmail],
    ])('as %s', (_what, read) => {
      for (const text of [fill(part), `${fill(part)}!`, `${fill(part)}\0`]) read(text);
    });
  },
);

test.each([
  ['0000000000000000000000000001s', 1_000_000_000n],
  ['9223372036s', 9_223_372_036_000_000_000n],
  ['9223372037s', undefined],
  ['99999999999999999999ns', undefined],
  ['1.5h', 5_400_000_000_000n],
  ['1.s', 1_000_000_000n],
  ['.5s', 500_000_000n],
  ['.s', undefined],
  [`0.${'3'.repeat(100_000)}s`, 333_333_333n],
  ['-1m2s', -62_000_000_000n],
])('the duration %j', (text, nanoseconds) => {
  expect(parseGoDuration(text)).toBe(nanoseconds);
});

test.each([
  ['a.b@c.d', true],
  ['John Q. Public <a@b.c>', true],
  ['J.Q.P <a@b.c>', true],
  ['"John" Public<a@b.c>', true],
  ['John"Public"<a@b.c>', true],
  ['<a@b.c>', true],
  ['John.. <a@b.c>', false],
  ['.John <a@b.c>', false],
  ['John a@b.c', false],
  ['John <a@b.c', false],
])('the address %j', (text, isOne) => {
  expect(isEmail(text)).toBe(isOne);
});
