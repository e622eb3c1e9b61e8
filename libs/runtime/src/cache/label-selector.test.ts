import { expect, test } from 'vitest';
import { labelMatcher } from './label-selector.ts';

test.each([
  ['', {}, true],
  ['a=b', { a: 'b' }, true],
  ['a=b,c', { a: 'b' }, false],
  ['a in (b, c),d!=e', { a: 'c', d: 'f' }, true],
  ['a notin (b,c),!d', { a: 'c' }, false],
  ['a notin (b,c),!d', { a: 'd' }, true],
  [' , a == b , ', { a: 'b' }, true],
])('%j of %j: %j', (selector, labels, matches) => {
  expect(labelMatcher(selector)(labels)).toBe(matches);
});

test.each(['a in (b', 'a in (b,c', 'a in b)', 'a=b=c', '(a,b)'])('%j is no selector', (selector) => {
  expect(() => labelMatcher(selector)).toThrow(TypeError);
});

// Where the rest of the selector is looked through at each comma, this does not end.
test.each([',', 'a,', '(,', '),', 'a in (b),'])('a selector of nothing but %j is one pass', (part) => {
  try {
    labelMatcher(part.repeat((256 * 1024) / part.length));
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
  }
});
