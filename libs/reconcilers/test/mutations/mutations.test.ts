import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cacheMutations } from './cache/index.ts';
import { externalMutations } from './external/index.ts';
import { kvMutations } from './kv/index.ts';

const occurrences = ({ file, find }: { readonly file: string; readonly find: string }): number =>
  readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8').split(find).length - 1;

test('every mutation still has one place to be made at, so that none is passed over in silence', () => {
  const lost = [...cacheMutations, ...externalMutations, ...kvMutations].filter(
    (mutation) => occurrences(mutation) !== 1,
  );
  expect(lost.map(({ name, file }) => `${name} (${file})`)).toEqual([]);
});
