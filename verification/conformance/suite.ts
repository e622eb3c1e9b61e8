import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SuiteTest } from './tests.ts';
import type { World } from './world.ts';

/** What became of a test. */
export interface Result {
  readonly name: string;
  readonly state: 'started' | 'passed' | 'failed' | 'skipped' | 'timedout' | 'panicked' | 'interrupted' | 'aborted';
  readonly seconds: number;
  readonly message?: string;
}

/** How the suite is run. */
export interface SuiteOptions {
  readonly program: string;
  readonly kubectl: string;
  readonly world: World;
  /** Where its log and results go. */
  readonly folder: string;
  /** How long each test may take, in seconds. */
  readonly limit: number;
  /** How many tests run at the same time. Those that are marked as serial run alone, after the others. */
  readonly jobs: number;
  /** What the order of the tests depends on. */
  readonly seed: number;
  /** No test goes on after this time, in milliseconds since 1970; one that was not ended by then has no result. */
  readonly until: number;
  readonly ended: (result: Result) => void;
}

/** Runs tests, and gives the result of each. */
export async function runTests(tests: readonly SuiteTest[], options: SuiteOptions): Promise<readonly Result[]> {
  const isSerial = ({ name }: SuiteTest): boolean => name.includes('[Serial]');
  const others = tests.filter((test) => options.jobs === 1 || !isSerial(test));
  const shares = Array.from({ length: options.jobs }, (_, job) =>
    others.filter((_test, place) => place % options.jobs === job),
  );
  const together = await Promise.all(
    shares.map((share, job) => runInTurn(share, { ...options, folder: join(options.folder, `job-${job + 1}`) })),
  );
  const alone = options.jobs === 1 ? [] : await runInTurn(tests.filter(isSerial), options);
  return [...together.flat(), ...alone];
}

/**
 * Runs tests one after the other. A test that can't be interrupted, or that ends the whole program, has failed; the suite is started again with those that
 * are left.
 */
async function runInTurn(tests: readonly SuiteTest[], options: SuiteOptions): Promise<readonly Result[]> {
  const results: Result[] = [];
  mkdirSync(options.folder, { recursive: true });
  let left = tests;
  while (left.length > 0 && Date.now() < options.until) {
    const round = await runOnce(left, options);
    const ended = round.filter(({ state }) => state !== 'started');
    const stuck = round.findLast(({ state }) => state === 'started');
    results.push(...ended);
    const seen = new Set(ended.map(({ name }) => name));
    if (Date.now() >= options.until) break;
    if (stuck !== undefined && !seen.has(stuck.name)) {
      const result = {
        ...stuck,
        state: 'aborted' as const,
        message: 'it ended the suite, or could not be interrupted',
      };
      options.ended(result);
      results.push(result);
      seen.add(stuck.name);
    }
    // Nothing has begun: neither will it the next time.
    if (seen.size === 0) throw new Error(`the suite ran no test; its log is in ${options.folder}`);
    left = left.filter(({ name }) => !seen.has(name));
  }
  return results;
}

const pause = 1000;

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

async function runOnce(tests: readonly SuiteTest[], options: SuiteOptions): Promise<readonly Result[]> {
  const { program, world, folder, kubectl, limit, seed, until } = options;
  const file = join(folder, 'results.jsonl');
  rmSync(file, { force: true });
  const log = openSync(join(folder, 'suite.log'), 'a');
  const parameters = [
    `-kubeconfig=${world.kubeconfig}`,
    `-kubectl-path=${kubectl}`,
    `-results=${file}`,
    `-limit=${limit}s`,
    '-provider=skeleton',
    '-dump-logs-on-failure=false',
    '-node-schedulable-timeout=1m',
    '-system-pods-startup-timeout=1m',
    '-system-daemonsets-startup-timeout=1m',
    '-test.timeout=0',
    '-ginkgo.timeout=24h',
    '-ginkgo.grace-period=5s',
    `-ginkgo.seed=${seed}`,
    '-ginkgo.no-color',
    `-ginkgo.focus=^Kubernetes e2e suite (${tests.map(({ name }) => escaped(name)).join('|')})$`,
  ];
  const child = spawn(program, parameters, { cwd: folder, stdio: ['ignore', log, log] });
  const results: Result[] = [];
  let isOver = false;
  let quiet = 0;
  const watch = async (): Promise<void> => {
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      const count = results.length;
      take(file, results, options.ended);
      quiet = results.length > count ? 0 : quiet + pause / 1000;
      // What is cleaned up after a test has no limit of its own.
      if (quiet > 2 * limit + 120 || Date.now() >= until) child.kill('SIGKILL');
    }
  };
  const watching = watch();
  await once(child, 'exit');
  isOver = true;
  await watching;
  take(file, results, options.ended);
  closeSync(log);
  return results;
}

/** Takes in the lines that are new. */
function take(file: string, results: Result[], ended: (result: Result) => void): void {
  if (!existsSync(file)) return;
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  for (const line of lines.slice(results.length)) {
    const result = JSON.parse(line) as Result;
    results.push(result);
    if (result.state !== 'started') ended(result);
  }
}
