import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Words that no name and no sentence uses, with the word of docs/reference/glossary.md in their place. */
const instead: Readonly<Record<string, string>> = {
  told: 'reported, or by default',
  somebody: 'a user, or another client',
  nobody: 'no member, no client, nothing',
  custody: 'held pods',
  laggards: 'members behind',
  heirs: 'successors',
  impatience: 'requeue throttle',
  breather: 'read slice',
  'let go': 'remove the finalizer, allow',
  'lets go': 'removes the finalizer, allows',
  'let it go': 'remove the finalizer, allow',
  keeper: 'provider, controller',
  temper: 'profile',
};

/** The texts that people write and read: sources, pages and definitions. The tables of what mutations showed name tests as they were called then. */
const texts = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(ts|md|sh|yaml)$/.test(file))
  .filter(
    (file) =>
      !/generated\/|fixtures\/|__snapshots__|^CHANGELOG\.md$|mutants\/results\.md$|tools\/workspace\/words\.test\.ts$/.test(
        file,
      ),
  );

const found = new RegExp(`\\b(?:${Object.keys(instead).join('|')})\\b`, 'gi');

/** A line with the parts of each name as words: `awaitLetGo` is `await Let Go`. */
const inWords = (line: string): string =>
  line.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/\b(let|lets)-go\b/g, '$1 go');

test('names and sentences use the words of the glossary', () => {
  const lines = texts.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        (inWords(line).match(found) ?? []).map(
          (word) => `${file}:${String(at + 1)}: ${word} (${instead[word.toLowerCase()] ?? ''})`,
        ),
      ),
  );
  expect(lines).toEqual([]);
});
