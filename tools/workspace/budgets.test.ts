import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';

const operator = join(import.meta.dirname, '../../apps/operator');

/** About a tenth above what was measured; counts, since wall time says nothing on a shared machine. */
const budgets = { bundleBytes: 4_100_000, types: 187_000, instantiations: 203_000 };

test('the bundle of the operator stays within its budget', () => {
  const out = mkdtempSync(join(tmpdir(), 'budget-'));
  onTestFinished(() => rmSync(out, { recursive: true }));
  execFileSync(process.execPath, ['bundle.ts', `--out=${out}`], { cwd: operator });
  const bundle = join(out, 'ordinal-operator.mjs');
  expect(statSync(bundle).size).toBeLessThan(budgets.bundleBytes);
  // V8 keeps the source, with two bytes for each character where one of them is beyond Latin-1: 4 MiB. esbuild escapes them in strings, not in regular expressions.
  const beyond = [...readFileSync(bundle, 'utf8')].filter((character) => character > '\u00ff');
  expect(beyond).toEqual([]);
});

test('the types of the operator and of all that it imports stay within their budget', () => {
  const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc');
  const flags = ['--noEmit', '-p', '.', '--extendedDiagnostics', '--singleThreaded'];
  const report = execFileSync(tsc, flags, { cwd: operator, encoding: 'utf8' });
  const count = (name: string): number => Number(new RegExp(`^${name}: +(\\d+)$`, 'm').exec(report)?.[1]);
  expect(count('Types')).toBeLessThan(budgets.types);
  expect(count('Instantiations')).toBeLessThan(budgets.instantiations);
});

/** The code of each package itself, as a bundler makes it small, in bytes: about a tenth above what was measured. */
const packageBudgets = {
  'libs/api': 21_000,
  'libs/client': 56_000,
  'libs/constructs': 600_000,
  'libs/control-plane': 7_700,
  'libs/explorer': 25_000,
  'libs/lifecycle': 131_000,
  'libs/recipes': 16_000,
  'libs/reconcilers': 280_000,
  'libs/runtime': 62_000,
  'libs/schema': 63_000,
  'libs/simulator': 1_100_000,
  'tools/codegen': 52_000,
} as const;

test.each(Object.entries(packageBudgets))('%s stays within its budget of %i bytes', async (folder, budget) => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../..', folder, 'src/index.ts')],
    ...{ bundle: true, minify: true, write: false, packages: 'external', platform: 'node', format: 'esm' },
  });
  const size = outputFiles[0]?.contents.length ?? 0;
  expect(size).toBeLessThan(budget);
  // A budget far above what there is holds nothing.
  expect(size).toBeGreaterThan(budget * 0.8);
});

/** Programs: they export nothing. */
const withoutExports = ['apps/operator', 'tools/kubectl-ordinal'];

test('each package has a budget', () => {
  const { workspaces } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
    readonly workspaces: readonly string[];
  };
  expect(Object.keys(packageBudgets).toSorted()).toEqual(
    workspaces.filter((each) => !withoutExports.includes(each)).toSorted(),
  );
});
