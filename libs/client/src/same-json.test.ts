import { expect, test } from 'vitest';
import { sameJson } from './same-json.ts';

test('the order of fields does not matter, and a field that is undefined counts as absent', () => {
  expect(sameJson({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 })).toBe(true);
  expect(sameJson({ a: undefined }, {})).toBe(true);
  expect(sameJson({}, { a: undefined })).toBe(true);
});

test.each([
  [{ a: 1 }, { a: '1' }],
  [{ a: 1 }, { a: 1, b: null }],
  [
    [1, 2],
    [2, 1],
  ],
  [[], {}],
  [{ 0: 'a' }, ['a']],
  [null, {}],
])('%j and %j are not the same', (left, right) => {
  expect(sameJson(left, right)).toBe(false);
  expect(sameJson(right, left)).toBe(false);
});

test('a field with a name that each object of JavaScript inherits is one', () => {
  expect(sameJson({}, { constructor: 'x' })).toBe(false);
  expect(sameJson({ toString: 'x' }, {})).toBe(false);
});
