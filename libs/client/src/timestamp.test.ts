import { expect, test } from 'vitest';
import { instantOf, microTimestamp, timestamp } from './timestamp.ts';

const instant = Date.UTC(2026, 4, 1, 2, 3, 4, 567);

test('an instant is written in whole seconds, or in microseconds', () => {
  expect(timestamp(instant)).toBe('2026-05-01T02:03:04Z');
  expect(microTimestamp(instant)).toBe('2026-05-01T02:03:04.567000Z');
});

test('a timestamp is read back, and one that is none is undefined', () => {
  expect(instantOf(microTimestamp(instant))).toBe(instant);
  expect(instantOf(undefined)).toBeUndefined();
  expect(instantOf('yesterday')).toBeUndefined();
});
