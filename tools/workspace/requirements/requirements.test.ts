import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mutate } from './mutation.ts';
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
  const lost = sections
    .flatMap(({ mutations }) => mutations)
    .flatMap((mutation) => {
      try {
        mutate(readFileSync(join(root, mutation.file), 'utf8'), mutation);
        return [];
      } catch (error) {
        return [`${mutation.claim}: ${String(error)}`];
      }
    });
  expect(lost).toEqual([]);
});

test('an edit finds its place however the text is broken into lines, and fails where that is not there or not alone', () => {
  const edit = { file: 'x.ts', find: 'a(b, c);', replace: 'd();' };
  expect(mutate('1; a(b,\n  c); 2;', edit)).toBe('1; d(); 2;');
  expect(() => mutate('a(c);', edit)).toThrow('0 places');
  expect(() => mutate('a(b, c); a(b, c);', edit)).toThrow('2 places');
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
