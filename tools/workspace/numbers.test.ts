import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mutatedKinds } from '../../verification/mutants/kinds.ts';

const root = join(import.meta.dirname, '../..');
const pages = ['docs/evidence/hazards.md', 'docs/evidence/invariants.md'];
const number = /\b(?:S0\.\d+|I\d{1,2})\b/g;

/** The numbers of hazards and invariants that a page defines: those that begin a row of its tables. */
const defined = new Set(
  pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/^\| (S0\.\d+|I\d+) /gm)].map(([, id = '']) => id),
  ),
);

/** The numbers that each source and page cites. */
const cited = execFileSync('git', ['ls-files', 'libs', 'apps', 'docs', 'tools', 'verification', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(ts|md)$/.test(file) && !file.includes('generated/') && file !== 'CHANGELOG.md')
  .map((file) => ({ file, ids: new Set(readFileSync(join(root, file), 'utf8').match(number)) }));

test('each hazard and invariant that is cited is defined', () => {
  const unknown = cited.flatMap(({ file, ids }) =>
    [...ids].filter((id) => !defined.has(id)).map((id) => `${file}: ${id}`),
  );
  expect(unknown).toEqual([]);
});

test('each invariant that is defined is cited by a test', () => {
  const tests = cited.filter(({ file }) => /\.test\.ts$|\/test\/|^verification\//.test(file));
  const inTests = new Set(tests.flatMap(({ ids }) => [...ids]));
  expect([...defined].filter((id) => id.startsWith('I') && !inTests.has(id))).toEqual([]);
});

test('each hazard that is defined is what a mutation breaks, and no mutation breaks another one', () => {
  const broken = new Set(
    mutatedKinds.flatMap(({ mutations }) => mutations.flatMap(({ breaks }) => breaks.match(number) ?? [])),
  );
  expect([...defined].filter((id) => id.startsWith('S') && !broken.has(id))).toEqual([]);
  expect([...broken].filter((id) => !defined.has(id))).toEqual([]);
});
