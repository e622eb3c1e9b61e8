import { expect, test } from 'vitest';
import { atTheLatest, isOver } from './elapsed.ts';

test.each([
  ['has lasted', 1_000, true],
  ['has lasted for less', 1_001, false],
  ['began a little in the future, by another clock', 2_900, false],
  ['began in a future that no such wait explains', 3_001, true],
])('a wait of a second is over when it %s', (_what, since, expected) => {
  expect(isOver(since, 1_000, 2_000)).toBe(expected);
});

test('what counts from a moment in the future counts from now', () => {
  expect([atTheLatest(5, 10), atTheLatest(15, 10)]).toEqual([5, 10]);
});
