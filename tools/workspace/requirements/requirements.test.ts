import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MutableWorkspace } from '../../../verification/mutations/workspace.ts';
import { sections } from './mutations/index.ts';
import { pair } from './pairs.ts';
import { patternOf, rowsOf } from './rows.ts';
import { withSummary } from './results.ts';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/requirements.md'), 'utf8');

test('each row of the page has one mistake that a named test can notice', () => {
  const rows = rowsOf(page);
  expect(rows.length).toBeGreaterThan(140);
  expect(pair(rows, sections).faults).toEqual([]);
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

test('the page says when the mistakes ran last, and how many were noticed', () => {
  const result = { claim: '', by: '', seconds: 1, commit: 'abc', date: '2026-01-02' };
  const text = 'Last run of `npm run requirements`: never.\n';
  expect(
    withSummary(text, 3, [
      { ...result, noticed: true },
      { ...result, noticed: false },
    ]),
  ).toBe('Last run of `npm run requirements`: 1 of 3 rows noticed, on 2026-01-02 at commit abc.\n');
  expect(() => withSummary('no line', 3, [])).toThrow('no line');
});
