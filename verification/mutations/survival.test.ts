import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allEdits } from './all.ts';
import { Renamer } from './language.ts';
import { shuffled } from './random.ts';
import { survive, symbolsOf } from './survival.ts';
import { MutableWorkspace } from './workspace.ts';

const root = join(import.meta.dirname, '../..');
const programs = allEdits.filter(({ file }) => file.endsWith('.ts') && !file.includes('generated'));

test('a rename of a symbol that mutations speak of breaks none: each makes the same mistake', () => {
  const files = shuffled([...new Set(programs.map(({ file }) => file))], 5).slice(0, 10);
  const edits = programs.filter(({ file }) => files.includes(file));
  const renamer = new Renamer(root, { alone: files });
  const symbols = shuffled(symbolsOf(root, edits), 5).slice(0, 36);
  const { renamed, concerned, faults } = survive({ root, edits, renamer, symbols });
  expect(faults).toEqual([]);
  expect(renamed).toBeGreaterThan(15);
  expect(concerned).toBeGreaterThan(15);
}, 120_000);

test('a rename that a mutation is not found after is noticed', () => {
  const [edit] = programs.filter(({ file }) => file.includes('reconcilers'));
  if (edit === undefined) throw new Error('there is no mutation');
  const renamer = new Renamer(root, { alone: [edit.file] });
  const spoiled = { ...edit, find: `${edit.find} neverThere` };
  const [symbol, ...others] = symbolsOf(root, [edit]);
  expect(survive({ root, edits: [spoiled], renamer, symbols: symbol ? [symbol, ...others] : [] }).faults).not.toEqual(
    [],
  );
}, 120_000);

test('a mutation whose file has gone is found in another one of the package', () => {
  const [edit] = programs.filter(({ file }) => file.startsWith('libs/testing/'));
  if (edit === undefined) throw new Error('there is no mutation');
  const gone = { ...edit, file: 'libs/testing/src/gone.ts' };
  expect(new MutableWorkspace(root).mutate(gone).file).toBe(edit.file);
});

test('the mistakes in the simulation have one place each', () => {
  const workspace = new MutableWorkspace(root);
  const faults = allEdits.filter(({ file }) => file.startsWith('libs/testing/')).map((edit) => workspace.faultOf(edit));
  expect(faults.filter((each) => each !== undefined)).toEqual([]);
});
