import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';

/** One command of a longer run. */
export interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** Why it is left out here. */
  readonly skip?: string;
  /** A run of steps itself: its lines are shown as they come, and not only when it fails, and its own closing line alone tells its counts. */
  readonly live?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** How a step ended, with the tests that it counted. */
export interface StepResult {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * Runs the steps one after the other, all of them even when one fails, and prints what each took. Test runners' closing lines are added up; a step
 * that runs no test runner counts as one test.
 */
export async function runSteps(steps: readonly Step[]): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  for (const [index, step] of steps.entries()) {
    const place = `[${index + 1}/${steps.length}] ${step.name}`;
    if (step.skip !== undefined) {
      console.log(`${place}: skipped: ${step.skip}`);
      results.push({ name: step.name, outcome: 'skipped', seconds: 0, passed: 0, failed: 0, skipped: 1 });
      continue;
    }
    console.log(`${place} …`);
    const result = await runStep(step);
    console.log(`${place}: ${result.outcome} in ${result.seconds.toFixed(1)} s`);
    results.push(result);
  }
  return results;
}

/** Prints a table of the results and the closing line; returns the exit code. */
export function summarize(results: readonly StepResult[]): number {
  const width = Math.max(...results.map((result) => result.name.length));
  console.log('');
  for (const result of results) {
    const counts = `${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped`;
    console.log(
      `${result.name.padEnd(width)}  ${result.seconds.toFixed(1).padStart(7)} s  ${result.outcome.padEnd(7)}  ${counts}`,
    );
  }
  const total = (count: (result: StepResult) => number): number =>
    results.reduce((sum, result) => sum + count(result), 0);
  const failed = total((result) => result.failed);
  console.log(
    `\n${total((result) => result.passed)} passed, ${failed} failed, ${total((result) => result.skipped)} skipped`,
  );
  return failed === 0 ? 0 : 1;
}

async function runStep(step: Step): Promise<StepResult> {
  const started = performance.now();
  const [program, ...parameters] = step.command;
  const child = spawn(program, parameters, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', NX_TUI: 'false', ...step.env },
  });
  const lines: string[] = [];
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const take = (printed: string): void => {
    const line = stripVTControlCharacters(printed);
    lines.push(line);
    if (step.live) console.log(`  ${line}`);
    if (step.live) countRun(line, counts);
    else countTests(line, counts);
  };
  createInterface({ input: child.stdout }).on('line', take);
  createInterface({ input: child.stderr }).on('line', take);
  const code = await new Promise<number>((resolve) => {
    child.on('error', (error) => {
      take(String(error));
      resolve(127);
    });
    child.on('close', (exitCode) => resolve(exitCode ?? 1));
  });
  const seconds = (performance.now() - started) / 1000;
  if (code !== 0 && !step.live) console.log(lines.slice(-400).join('\n'));
  const counted = counts.passed + counts.failed + counts.skipped > 0;
  return {
    name: step.name,
    outcome: code === 0 ? 'passed' : 'failed',
    seconds,
    passed: counted ? counts.passed : Number(code === 0),
    failed: code === 0 ? counts.failed : Math.max(counts.failed, 1),
    skipped: counts.skipped,
  };
}

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Reads the closing line of a run of steps, which stands for all that its steps have printed before. */
export function countRun(line: string, counts: Counts): void {
  if (!closing.test(line)) return;
  Object.assign(counts, { passed: 0, failed: 0, skipped: 0 });
  countTests(line, counts);
}

const closing = /^\s*\d+ passed, \d+ failed(?:, \d+ skipped)?\s*$/;

/** Reads vitest's `Tests  3 failed | 12 passed | 1 skipped (16)` and our own `12 passed, 3 failed, 1 skipped`. */
export function countTests(line: string, counts: Counts): void {
  const vitest = /^\s*Tests {2}(.*)\(\d+\)\s*$/.exec(line);
  const text = vitest?.[1] ?? (closing.test(line) ? line : undefined);
  if (text === undefined) return;
  for (const [, count, what] of text.matchAll(/(\d+) (passed|failed|skipped|todo)/g)) {
    const kind = what === 'todo' ? 'skipped' : what;
    if (kind === 'passed' || kind === 'failed' || kind === 'skipped') counts[kind] += Number(count);
  }
}
