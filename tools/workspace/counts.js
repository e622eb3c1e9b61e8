/* A plugin of Nx: after a run of tasks it prints how each ended, and the tests that they counted, in a last line for programs that read it. */
import { stripVTControlCharacters } from 'node:util';

/** @import { Counts, TaskEnd } from './counts.d.ts' */

const closing = /^\s*\d+ passed, \d+ failed(?:, \d+ skipped)?\s*$/;

/**
 * Adds up the closing lines of test runners: vitest's `Tests  3 failed | 12 passed | 1 skipped (16)` and our own `12 passed, 3 failed, 1 skipped`.
 *
 * @param {string} output
 * @returns {Counts}
 */
export function countTests(output) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const line of stripVTControlCharacters(output).split('\n')) {
    const text = /^\s*Tests {2}(.*)\(\d+\)\s*$/.exec(line)?.[1] ?? (closing.test(line) ? line : '');
    for (const [, count, what] of text.matchAll(/(\d+) (passed|failed|skipped|todo)/g))
      counts[what === 'todo' ? 'skipped' : what] += Number(count);
  }
  return counts;
}

/**
 * What a task counts: its tests, or itself where it runs no test runner. One that failed counts a failure in any case, and one that did not run because
 * another failed is skipped. One that was stopped has not passed, whatever of it had.
 *
 * @param {TaskEnd} end
 * @returns {Counts}
 */
export function countsOf({ status, terminalOutput = '' }) {
  if (status === 'skipped') return { passed: 0, failed: 0, skipped: 1 };
  const hasFailed = status === 'failure' || status === 'stopped';
  const counts = countTests(terminalOutput);
  const hasCounted = counts.passed + counts.failed + counts.skipped > 0;
  return {
    passed: hasCounted ? counts.passed : Number(!hasFailed),
    failed: hasFailed ? Math.max(counts.failed, 1) : counts.failed,
    skipped: counts.skipped,
  };
}

/**
 * Why a task failed, as its runner said it: vitest's list of failures, or the last lines of another program; at most 40 lines.
 *
 * @param {TaskEnd} end
 * @returns {string[]}
 */
export function failuresOf({ status, terminalOutput = '' }) {
  if (status !== 'failure') return [];
  const lines = stripVTControlCharacters(terminalOutput).trimEnd().split('\n');
  const begin = lines.findIndex((line) => /^⎯+ Failed (Tests|Suites) \d+ ⎯+$/.test(line.trim()));
  const failures = lines.filter((line) => /^\s*failed\s+\d/.test(line)).slice(0, 10);
  const shown = begin < 0 ? [...failures, ...lines.slice(-20)] : lines.slice(begin, begin + 40);
  return shown.map((line) => line.slice(0, longestLine));
}

/** @type {Readonly<Partial<Record<TaskEnd['status'], string>>>} */
const outcomes = { success: 'passed', failure: 'failed', skipped: 'skipped', stopped: 'stopped' };

/** How many characters of a line are shown: a summary is read where long outputs are cut off, and each task is to be in it. */
const longestLine = 300;

/**
 * Why the failed tasks failed, a line for each task, and the closing line.
 *
 * @param {Readonly<Record<string, TaskEnd>>} ends by the task's name
 * @returns {string}
 */
export function summaryOf(ends) {
  const rows = Object.entries(ends).map(([name, end]) => ({ name, end, counts: countsOf(end) }));
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.map(({ name, end, counts }) => {
    const { status, task: { startTime = 0, endTime = 0 } = {} } = end;
    const took = `${((endTime - startTime) / 1000).toFixed(1).padStart(7)} s`;
    const outcome = outcomes[status] ?? 'cached';
    return `${name.padEnd(width)}  ${took}  ${outcome.padEnd(7)}  ${inWords(counts)}`;
  });
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { counts } of rows) for (const what of Object.keys(total)) total[what] += counts[what];
  const reasons = rows.flatMap(({ name, end }) => {
    const failures = failuresOf(end);
    return failures.length === 0 ? [] : [`${name} failed:`, ...failures, ''];
  });
  return `${[...reasons, ...lines].join('\n')}\n\n${inWords(total)}`;
}

/** @param {Counts} counts */
const inWords = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`;

export const name = 'ordinal-counts';

/** @param {{ readonly taskResults: Readonly<Record<string, TaskEnd>> }} context */
export function postTasksExecution(_options, { taskResults }) {
  // A run that a task starts itself is counted by that task.
  if (process.env.NX_TASK_TARGET_PROJECT !== undefined) return;
  process.stdout.write(`\n${summaryOf(taskResults)}\n`);
}
