import { expect, test } from 'vitest';
import { ageOf } from './age.ts';
import { shortDuration } from './duration.ts';

test.each([
  [0, '0s'],
  [-5_000, '0s'],
  [45_900, '45s'],
  [130_000, '2m10s'],
  [3_605_000, '1h5s'],
  [90_000_000, '1d1h'],
  [400_000_000, '4d'],
])('%i ms is %s', (ms, text) => expect(shortDuration(ms)).toBe(text));

test('there is no age of no time', () => expect(ageOf(undefined, 0)).toBe(''));
