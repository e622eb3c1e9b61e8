import { expect, test } from 'vitest';
import { mergePatch } from './merge-patch.ts';

test.each([
  [{ a: 1 }, { a: 1 }, undefined],
  [undefined, {}, undefined],
  [undefined, { a: 1 }, { a: 1 }],
  [{ a: 1, b: 2 }, { a: 1 }, { b: null }],
  [{ a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 3 } }],
  [{ a: [1, 2] }, { a: [2, 1] }, { a: [2, 1] }],
  [{ a: { b: 1 } }, { a: { b: undefined } }, { a: { b: null } }],
])('the merge patch from %j to %j is %j', (from, to, patch) => {
  expect(mergePatch(from, to)).toEqual(patch);
});
