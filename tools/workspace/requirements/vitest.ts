import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runInGroup } from '../../../verification/mutations/process-group.ts';
import type { NamedTest } from './rows.ts';
import { patternOf } from './rows.ts';

/** What came of the tests of one file. `broken`: no test ran, since what is tested is no program. */
export interface TestsOutcome {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly end: 'ended' | 'late' | 'broken';
  /** The first failure, in its first line. */
  readonly because: string;
}

/** How to run them: the copy of the workspace, and how much CPU-time they may use, in seconds. */
export interface RunOptions {
  readonly folder: string;
  readonly cpuSeconds: number;
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
    readonly message: string;
  }[];
}

const packages = /^(?:libs|apps|tools|verification)\/[^/]+/;

/** Runs the named tests of a file. Tests have no limit of their own: a busy machine is no discovery. */
export async function runTests({ file, titles }: NamedTest, options: RunOptions): Promise<TestsOutcome> {
  const root = packages.exec(file)?.[0];
  if (root === undefined) throw new Error(`${file} belongs to no package`);
  const report = join(options.folder, 'report.json');
  rmSync(report, { force: true });
  const pattern = patternOf(titles);
  const vitest = join(options.folder, 'node_modules/vitest/vitest.mjs');
  const selected = pattern === undefined ? ['--bail', '1'] : ['-t', pattern];
  const limits = ['--testTimeout', '600000', '--hookTimeout', '600000'];
  // What vite makes of a file is kept by its content: most of a run's time, and the same for every row.
  const cached = ['--fsModuleCachePath', join(options.folder, '.modules')];
  const reported = ['--reporter', 'json', '--outputFile', report];
  const { code, output } = await runInGroup(
    [process.execPath, vitest, 'run', file.slice(root.length + 1), ...selected, ...limits, ...cached, ...reported],
    { cwd: join(options.folder, root), env: { ...process.env, NO_COLOR: '1' }, cpuSeconds: options.cpuSeconds },
  );
  if (code === undefined) return { passed: [], failed: [], end: 'late', because: 'it did not end in time' };
  if (!existsSync(report)) return { passed: [], failed: [], end: 'broken', because: output.slice(-500) };
  // The file is vitest's, in the form of jest's.
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failures = results.filter(({ status }) => status === 'failed');
  const ran = results.filter(({ status }) => status === 'passed' || status === 'failed');
  return {
    passed: results.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName),
    failed: failures.map(({ fullName }) => fullName),
    end: ran.length === 0 ? 'broken' : 'ended',
    because: (failures[0]?.failureMessages[0] ?? testResults[0]?.message ?? '').split('\n', 1)[0] ?? '',
  };
}
