import { expect, test } from 'vitest';
import { checkIntervalMs, failureIntervalMs, gateIntervalMs, pauseAfter } from './ask-again.ts';

/** The times at which the checks are asked, in seconds, by a clock whose beginning is recorded in whole seconds. */
function asked(maxMs: number, times: number, offMs = 0): readonly number[] {
  let at = 0;
  return Array.from({ length: times }, () => {
    const now = at;
    at += pauseAfter(now + offMs, maxMs);
    return now / 1000;
  });
}

test('a closed gate is asked again each second', () => {
  expect(asked(gateIntervalMs, 6)).toEqual([0, 1, 2, 3, 4, 5]);
});

test('a no is asked about again after 1, 2, 4, 8 and then each 15 seconds', () => {
  expect(asked(checkIntervalMs, 8)).toEqual([0, 1, 3, 7, 15, 30, 45, 60]);
});

test('also where the beginning is recorded in whole seconds', () => {
  expect(asked(checkIntervalMs, 8, 999)).toEqual([0, 1, 3, 7, 15, 30, 45, 60]);
});

test('a check that could not be run backs off to 30 seconds', () => {
  expect(asked(failureIntervalMs, 8)).toEqual([0, 1, 3, 7, 15, 31, 61, 91]);
});

test('a shorter interval is kept, and a clock that was set back asks seldom', () => {
  expect(asked(3000, 5)).toEqual([0, 1, 3, 6, 9]);
  expect(pauseAfter(-3_600_000, checkIntervalMs)).toBe(checkIntervalMs);
});
