import { describe, expect, test } from 'vitest';
import { Timeline } from './timeline.ts';

describe('a world that has run ahead of the machine', () => {
  const timeline = new Timeline();
  timeline.note(1_000, 50_000);
  timeline.note(2_000, 51_000);
  timeline.note(2_010, 90_000);

  test.each([
    ['between two notes both clocks go on side by side', 1_400, 50_400],
    ['what was just before a leap is not later than what was after it', 2_009, 51_009],
    ['the future is as far away as on the machine', 5_010, 93_000],
    ['before the first note it is the first moment, less what lies between', 400, 49_400],
  ])('%s', (_what, wall, own) => expect(timeline.ownAt(wall)).toBe(own));

  test('without a note it is the machine’s clock', () => expect(new Timeline().ownAt(7)).toBe(7));
});
