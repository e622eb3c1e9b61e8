import { expect, test } from 'vitest';
import { nextPoll, usualIntervals } from './poll.ts';

test.each([
  [0, 2],
  [8, 2],
  [80, 10],
  [240, 30],
  [3_600, 60],
  [-3_600, 2],
])('what has been under way for %i s is looked at again after %i s', (elapsed, seconds) => {
  const now = Date.UTC(2026, 0, 1);
  expect(nextPoll({ now, since: now - elapsed * 1_000, random: 0.5 }, usualIntervals) - now).toBe(seconds * 1_000);
});
