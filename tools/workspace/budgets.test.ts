import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const operator = join(import.meta.dirname, '../../apps/operator');

/** About a tenth above what was measured; counts, since wall time says nothing on a shared machine. */
const budgets = { bundleBytes: 4_100_000, types: 140_000, instantiations: 151_000 };

test('the bundle of the operator stays within its budget', () => {
  const out = mkdtempSync(join(tmpdir(), 'budget-'));
  onTestFinished(() => rmSync(out, { recursive: true }));
  execFileSync(process.execPath, ['bundle.ts', `--out=${out}`], { cwd: operator });
  expect(statSync(join(out, 'ordinal-operator.mjs')).size).toBeLessThan(budgets.bundleBytes);
});

test('the types of the operator and of all that it imports stay within their budget', () => {
  const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc');
  const flags = ['--noEmit', '-p', '.', '--extendedDiagnostics', '--singleThreaded'];
  const report = execFileSync(tsc, flags, { cwd: operator, encoding: 'utf8' });
  const count = (name: string): number => Number(new RegExp(`^${name}: +(\\d+)$`, 'm').exec(report)?.[1]);
  expect(count('Types')).toBeLessThan(budgets.types);
  expect(count('Instantiations')).toBeLessThan(budgets.instantiations);
});
