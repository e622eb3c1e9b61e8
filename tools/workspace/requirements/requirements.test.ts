import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MutableWorkspace } from '../../../verification/mutations/workspace.ts';
import { fingerprintOf } from './fingerprint.ts';
import { sections } from './mutations/index.ts';
import { pair } from './pairs.ts';
import { patternOf, rowsOf } from './rows.ts';
import { Results, withSummary } from './results.ts';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/evidence/requirements.md'), 'utf8');

test('each row of the page has one mistake that a named test can notice', () => {
  const rows = rowsOf(page);
  expect(rows.length).toBeGreaterThan(140);
  expect(pair(rows, sections).faults).toEqual([]);
});

test('every file of tests that a row or its mistake names is there', () => {
  const files = pair(rowsOf(page), sections).pairs.flatMap(({ tests }) => tests.map(({ file }) => file));
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test('every mistake still has one place to be made at, so that none is passed over in silence', () => {
  const workspace = new MutableWorkspace(root);
  const faults = sections.flatMap(({ mutations }) => mutations).map((mutation) => workspace.faultOf(mutation));
  expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
});

test('a title with placeholders selects the tests of its table', () => {
  expect(new RegExp(patternOf(['%s: is (not) taken']) ?? '').test('x > the seed: is (not) taken')).toBe(true);
  expect(patternOf([])).toBeUndefined();
});

test('the page says how many mistakes were noticed, when, and at which commits', () => {
  const result = { claim: '', by: '', seconds: 1, content: '', commit: 'abc', date: '2026-01-02' };
  const text = 'Last run of `npm run requirements`: never.\n';
  const line = (results: Parameters<typeof withSummary>[2]): string =>
    withSummary(text, { rows: 4, exempt: 1 }, results).trim();
  expect(
    line([
      { ...result, noticed: true },
      { ...result, noticed: true, commit: 'def' },
      { ...result, noticed: false, commit: 'ghi' },
    ]),
  ).toBe(
    'Last run of `npm run requirements`: 2 of 4 rows noticed, 1 exempt, 1 not noticed, 0 not run, on 2026-01-02 at abc, def.',
  );
  expect(line([])).toBe('Last run of `npm run requirements`: 0 of 4 rows noticed, 1 exempt, 0 not noticed, 3 not run.');
  expect(() => withSummary('no line', { rows: 3, exempt: 0 }, [])).toThrow('no line');
});

test('a row keeps its result where rows come before it, and not where it says something else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'results-'));
  const results = new Results(join(folder, 'results.json'));
  const result = { noticed: true, by: '', seconds: 1, content: '', commit: 'abc', date: '2026-01-02' };
  for (const [id, claim] of [
    ['000.1', 'a'],
    ['000.2', 'b'],
  ] as const)
    results.keep(id, { ...result, claim });
  const rows = ['new', 'a', 'c'].map((claim, index) => ({ id: `000.${String(index + 1)}`, claim }));
  results.keepOnly([...rows, { id: '001.1', claim: 'b' }]);
  expect(results.all()).toEqual({ '000.2': { ...result, claim: 'a' } });
  rmSync(folder, { recursive: true });
});

test('a result counts for as long as mistake, file and tests are the same', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fingerprint-'));
  const row = { id: '000.1', section: '000', claim: 'x', tests: [] };
  const each = {
    row,
    mutation: { claim: 'x', file: 'a.ts', find: 'a', replace: 'b' },
    tests: [{ file: 'a.test.ts', titles: ['t'] }],
  };
  for (const name of ['a.ts', 'a.test.ts']) writeFileSync(join(folder, name), 'a');
  const first = fingerprintOf(each, folder);
  expect(fingerprintOf({ ...each, row: { ...row, id: '000.2' } }, folder)).toBe(first);
  expect(fingerprintOf({ ...each, mutation: { ...each.mutation, replace: 'c' } }, folder)).not.toBe(first);
  expect(fingerprintOf({ ...each, tests: [{ file: 'a.test.ts', titles: [] }] }, folder)).not.toBe(first);
  writeFileSync(join(folder, 'a.test.ts'), 'b');
  expect(fingerprintOf(each, folder)).not.toBe(first);
  rmSync(folder, { recursive: true });
});
