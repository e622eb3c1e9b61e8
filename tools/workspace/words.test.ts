import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nowhere } from './prose/words.ts';

const root = join(import.meta.dirname, '../..');

/** The texts that people write and read: sources, pages and definitions. The tables of what mutations showed name tests as they were called then. */
const texts = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(ts|md|sh|yaml)$/.test(file))
  .filter(
    (file) =>
      !/generated\/|fixtures\/|__snapshots__|^CHANGELOG\.md$|mutants\/results\.md$|tools\/workspace\/(?:words\.test|prose\.test|prose\/words)\.ts$/.test(
        file,
      ),
  );

const found = new RegExp(`\\b(?:${Object.keys(nowhere).join('|')})\\b`, 'gi');

/** A line with the parts of each name as words: `awaitLetGo` is `await Let Go`. */
const inWords = (line: string): string =>
  // The software's name is one word.
  line
    .replaceAll('ZooKeeper', 'Zookeeper')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/\b(let|lets)-go\b/g, '$1 go');

test('names and sentences use the words of the glossary', () => {
  const lines = texts.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        (inWords(line).match(found) ?? []).map(
          (word) => `${file}:${String(at + 1)}: ${word} (${nowhere[word.toLowerCase()] ?? ''})`,
        ),
      ),
  );
  expect(lines).toEqual([]);
});
