import { expect, expectTypeOf, test } from 'vitest';
import { defined } from './defined.ts';

test('fields that are undefined are left out, and all others stay', () => {
  expect(Object.entries(defined({ a: 1, b: undefined, c: null, d: false, e: '' }))).toEqual([
    ['a', 1],
    ['c', null],
    ['d', false],
    ['e', ''],
  ]);
});

test('a field whose value may be undefined may be absent, and no other', () => {
  const text = 'x' as string | undefined;
  expectTypeOf(defined({ a: 1, text })).toMatchObjectType<{ a: number; text?: string }>();
});
