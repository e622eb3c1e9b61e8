import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../docs/decisions');
const index = readFileSync(join(folder, 'README.md'), 'utf8');

const records = readdirSync(folder)
  .filter((name) => /^\d{4}-.*\.md$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

/** About one screen. */
const longest = 50;

describe('the decision records', () => {
  test.each(records)('$name has a number, a status, the three headings, and one screen', ({ name, text }) => {
    expect(text).toMatch(new RegExp(`^# ${String(Number(name.slice(0, 4)))}\\. \\S`));
    expect(text).toMatch(/^Status: (?:accepted|superseded by|overtaken by)/m);
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
    expect(headings.filter((heading) => ['Context', 'Decision', 'Consequences'].includes(heading))).toEqual([
      'Context',
      'Decision',
      'Consequences',
    ]);
    expect(text.split('\n').length).toBeLessThanOrEqual(longest);
  });

  test('have numbers of their own', () => {
    expect(new Set(records.map(({ name }) => name.slice(0, 4))).size).toBe(records.length);
  });

  test('are all in the index, by number and title, once', () => {
    const rows = records.map(({ name, text }) => {
      const [, number = '', title = ''] = /^# (\d+)\. (.+)$/m.exec(text) ?? [];
      return `${number}. [${title}](${name})`;
    });
    const listed = [...index.matchAll(/\d+\. \[.+?\]\(\d{4}-[^)]+\)/g)].map(([row]) => row);
    expect(listed.toSorted()).toEqual(rows.toSorted());
  });

  test('that were replaced say so in the index', () => {
    const replaced = records.filter(({ text }) => /^Status: (?:superseded|overtaken)/m.test(text));
    const marked = index.split('\n').filter((line) => line.includes('(replaced by '));
    expect(marked.map((line) => /\((\d{4}-[^)]+)\)/.exec(line)?.[1]).toSorted()).toEqual(
      replaced.map(({ name }) => name),
    );
  });
});
