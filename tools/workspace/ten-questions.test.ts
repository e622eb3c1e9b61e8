import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const page = join(import.meta.dirname, '../../docs/evidence/ten-questions.md');
const readme = join(import.meta.dirname, '../../README.md');

/** What is read in three minutes, at 200 words a minute. */
const longest = 600;

interface Link {
  readonly file: string;
  readonly at: number;
}

/** The files that a Markdown text links to, from the folder where it is. */
const linksIn = (text: string, folder: string): readonly Link[] =>
  [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)\s]*)?\)/g)].map(({ 1: target = '', index }) => ({
    file: join(folder, target),
    at: index,
  }));

/** The words that a reader sees, code included. */
const wordsIn = (text: string): number =>
  text
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/\]\([^)]*\)/g, ']')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** The words before a link. A reader of the README follows its link to “Where to go” at the top. */
function wordsBefore(link: string, from: string): number | undefined {
  const text = readFileSync(from, 'utf8');
  const found = linksIn(text, dirname(from)).find(({ file }) => file === link);
  if (found === undefined) return undefined;
  const [jump, heading] = [text.indexOf('](#where-to-go)'), text.indexOf('\n## Where to go')];
  return from === readme && found.at > heading && jump >= 0
    ? wordsIn(text.slice(0, jump)) + wordsIn(text.slice(heading, found.at))
    : wordsIn(text.slice(0, found.at));
}

/** The words of a page up to the end of the section that has the answer. Undefined where none has. */
function wordsToAnswer(answer: string, file: string): number | undefined {
  const text = readFileSync(file, 'utf8');
  const at = text.indexOf(answer);
  if (at < 0) return undefined;
  const end = text.indexOf('\n## ', at + 1);
  return wordsIn(text.slice(0, end < 0 ? undefined : end));
}

const rows = readFileSync(page, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('?'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, question = '', path = '', answer = '', words = '']) => ({
    question,
    path: linksIn(path, dirname(page)).map(({ file }) => file),
    answer: /^`(.+)`$/.exec(answer)?.[1] ?? '',
    words: Number(words),
  }));

test('there are ten', () => {
  expect(rows).toHaveLength(10);
});

test.each(rows)('$question is answered by links from the README, in three minutes of reading', (row) => {
  const { path, answer, words } = row;
  expect(path[0]).toBe(readme);
  expect(path.length).toBeLessThanOrEqual(3);
  const parts = [
    ...path.slice(0, -1).map((from, at) => wordsBefore(path[at + 1] ?? '', from)),
    answer === '' ? undefined : wordsToAnswer(answer, path.at(-1) ?? ''),
  ];
  expect(parts).not.toContain(undefined);
  const read = parts.reduce((sum: number, part) => sum + (part ?? 0), 0);
  expect(read).toBeLessThanOrEqual(longest);
  // The page says it within a tenth: a word more is no reason to edit it.
  expect(Math.abs(words - read), `${String(words)} words in the page, ${String(read)} by count`).toBeLessThanOrEqual(
    read / 10,
  );
});
