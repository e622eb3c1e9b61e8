import { describe, expect, test } from 'vitest';
import { countRun, countTests } from './steps.ts';

const counted = (...lines: readonly string[]) => {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const line of lines) countTests(line, counts);
  return counts;
};

describe('counting tests in what runners print', () => {
  test('adds up the closing lines of several vitest runs', () => {
    expect(counted('      Tests  3 failed | 12 passed | 1 skipped (16)', '      Tests  4 passed (4)')).toEqual({
      passed: 16,
      failed: 3,
      skipped: 1,
    });
  });

  test('reads the plain closing line', () => {
    expect(counted('12 passed, 0 failed, 2 skipped', '1 passed, 1 failed')).toEqual({
      passed: 13,
      failed: 1,
      skipped: 2,
    });
  });

  test('takes no other line for a count', () => {
    expect(counted('Test Files  2 passed (2)', 'we saw 3 passed, 4 failed in the text')).toEqual({
      passed: 0,
      failed: 0,
      skipped: 0,
    });
  });

  test('takes the closing line of a run of steps for all that its steps have printed', () => {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const line of [
      '      Tests  1 failed | 4 passed (5)',
      '  4 passed, 1 failed, 0 skipped',
      '9 passed, 1 failed',
    ])
      countRun(line, counts);
    expect(counts).toEqual({ passed: 9, failed: 1, skipped: 0 });
  });
});
