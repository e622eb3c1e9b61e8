import { expect, test } from 'vitest';
import { durationText, membersReadyText } from './words.ts';

test.each([
  [0, '0 milliseconds'],
  [250, '250 milliseconds'],
  [1000, '1 second'],
  [40_000, '40 seconds'],
  [60_000, '1 minute'],
  [59_999, '1 minute'],
  [90_000, '1 minute 30 seconds'],
  [900_000, '15 minutes'],
  [5_400_000, '1 hour 30 minutes'],
  [365 * 24 * 3_600_000, '8760 hours'],
])('%d ms is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test.each([
  [{ ready: 2, present: 3, wanted: 3 }, '2 of 3 members are ready'],
  [{ ready: 3, present: 3, wanted: 2 }, '3 of 3 members are ready, 2 are wanted'],
  [{ ready: 2, present: 2, wanted: 1 }, '2 of 2 members are ready, 1 is wanted'],
  [{ ready: 1, present: 1, wanted: 3 }, '1 of 3 members are ready'],
])('%o: %s', (members, text) => {
  expect(membersReadyText(members)).toBe(text);
});
