import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const page = join(import.meta.dirname, '../../docs/evidence/ten-questions.md');

/** The files that a Markdown text links to, from the folder where it is. */
const linksIn = (text: string, folder: string): readonly string[] =>
  [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)\s]*)?\)/g)].map(([, target = '']) => join(folder, target));

const rows = readFileSync(page, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('?'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, question = '', path = '', answer = '']) => ({
    question,
    path: linksIn(path, dirname(page)),
    answer: /^`(.+)`$/.exec(answer)?.[1] ?? '',
  }));

test('there are ten', () => {
  expect(rows).toHaveLength(10);
});

test.each(rows)('$question is answered by links from the README', ({ path, answer }) => {
  expect(path[0]).toBe(join(import.meta.dirname, '../../README.md'));
  expect(path.length).toBeLessThanOrEqual(3);
  for (const [at, file] of path.slice(0, -1).entries())
    expect(linksIn(readFileSync(file, 'utf8'), dirname(file))).toContain(path[at + 1]);
  expect(answer).not.toBe('');
  expect(readFileSync(path.at(-1) ?? '', 'utf8')).toContain(answer);
});
