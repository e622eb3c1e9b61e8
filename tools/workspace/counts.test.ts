import { describe, expect, test } from 'vitest';
import { countTests, countsOf, failuresOf, summaryOf } from './counts.js';

describe('counting tests in what runners print', () => {
  test('adds up the closing lines of several vitest runs', () => {
    const lines = [
      '      Tests  3 failed | 12 passed | 1 skipped (16)',
      '\u001b[2m      Tests \u001b[22m \u001b[32m4 passed\u001b[39m (4)',
    ];
    expect(countTests(lines.join('\n'))).toEqual({ passed: 16, failed: 3, skipped: 1 });
  });

  test('reads the plain closing line', () => {
    expect(countTests('12 passed, 0 failed, 2 skipped\n1 passed, 1 failed')).toEqual({
      passed: 13,
      failed: 1,
      skipped: 2,
    });
  });

  test('takes no other line for a count', () => {
    const counts = countTests('Test Files  2 passed (2)\nwe saw 3 passed, 4 failed in the text');
    expect(counts).toEqual({ passed: 0, failed: 0, skipped: 0 });
  });
});

describe('what a task counts', () => {
  test.each([
    ['a check without tests, as one', 'success', 'all is well', { passed: 1, failed: 0, skipped: 0 }],
    [
      'one that is remembered, as it was',
      'local-cache',
      '3 passed, 0 failed, 1 skipped',
      { passed: 3, failed: 0, skipped: 1 },
    ],
    [
      'one that only skips',
      'success',
      'skipped: no node\n0 passed, 0 failed, 1 skipped',
      { passed: 0, failed: 0, skipped: 1 },
    ],
    [
      'one that breaks after its tests, as a failure',
      'failure',
      '3 passed, 0 failed',
      { passed: 3, failed: 1, skipped: 0 },
    ],
    ['one that breaks before them, as a failure', 'failure', 'no such file', { passed: 0, failed: 1, skipped: 0 }],
    ['one that was stopped, as a failure', 'stopped', '3 passed, 0 failed', { passed: 3, failed: 1, skipped: 0 }],
    ['one that did not run, as skipped', 'skipped', '', { passed: 0, failed: 0, skipped: 1 }],
  ] as const)('%s', (_, status, terminalOutput, counts) => {
    expect(countsOf({ status, terminalOutput })).toEqual(counts);
  });

  test('is a line in the summary, which ends with the sum', () => {
    const summary = summaryOf({
      'client:test': {
        status: 'success',
        terminalOutput: '7 passed, 0 failed',
        task: { startTime: 1000, endTime: 3500 },
      },
      'demo:lint': { status: 'failure', terminalOutput: 'oh', task: { startTime: 0, endTime: 100 } },
    });
    expect(summary).toBe(
      [
        'demo:lint failed:',
        'oh',
        '',
        'client:test      2.5 s  passed   7 passed, 0 failed, 0 skipped',
        'demo:lint        0.1 s  failed   0 passed, 1 failed, 0 skipped',
        '',
        '7 passed, 1 failed, 0 skipped',
      ].join('\n'),
    );
  });
});

describe('why a task failed', () => {
  test('is the list of failures of vitest, without what ran before it', () => {
    const terminalOutput = [
      ' ✓ a.test.ts (2 tests)',
      '\u001b[31m⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯\u001b[39m',
      '',
      ' FAIL  b.test.ts > adds',
      'AssertionError: expected 1 to be 2',
    ].join('\n');
    expect(failuresOf({ status: 'failure', terminalOutput })).toEqual([
      '⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯',
      '',
      ' FAIL  b.test.ts > adds',
      'AssertionError: expected 1 to be 2',
    ]);
  });

  test('is the end of what another program printed', () => {
    const terminalOutput = Array.from({ length: 30 }, (_, line) => `line ${line}`).join('\n');
    expect(failuresOf({ status: 'failure', terminalOutput }).at(0)).toBe('line 10');
  });

  test('begins with the steps of an end-to-end run that failed', () => {
    const step = '  failed      12.0 s  a channel: it is not there';
    const terminalOutput = [step, ...Array.from({ length: 30 }, (_, line) => `line ${line}`)].join('\n');
    expect(failuresOf({ status: 'failure', terminalOutput }).slice(0, 2)).toEqual([step, 'line 10']);
  });

  test('has no line that pushes the other tasks out of sight', () => {
    expect(failuresOf({ status: 'failure', terminalOutput: 'x'.repeat(5_000) })[0]).toHaveLength(300);
  });

  test('is nothing for one that passed', () => {
    expect(failuresOf({ status: 'success', terminalOutput: 'fine' })).toEqual([]);
  });
});
