import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { allEdits } from './all.ts';
import { Renamer } from './language.ts';
import { Mutable } from '../mutations/mutate.ts';
import { shuffled } from './random.ts';
import { survive, symbolsOf } from './survival.ts';
import { MutableWorkspace } from '../mutations/workspace.ts';

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

describe('a rename is noticed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'renames-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const text = "const bounds = { limit: 3 };\nif (full(bounds['limit'])) stop(bounds.limit);\n";
  writeFileSync(join(folder, 'x.ts'), text);

  test.each([
    // A literal of the fragment is no name: an editor renames this one all the same.
    [
      'that a mutation is not found after',
      "if (full(bounds['limit'])) stop(bounds.limit)",
      "if (!full(bounds['limit'])) stop(bounds.limit)",
      [expect.stringContaining('x.ts: 0 places, and not one')],
    ],
    [
      'after which a mutation makes another program',
      'stop(bounds.limit)',
      "stop(bounds['limit'])",
      [expect.stringMatching(/^x\.ts: renamed\d makes another program of: stop\(bounds\.limit\)$/)],
    ],
  ])('%s', (_, find, replace, faults) => {
    const edit = { file: 'x.ts', find, replace };
    expect(new Mutable('x.ts', text).faultOf(edit)).toBeUndefined();
    const at = text.indexOf('limit');
    const renamer = new Renamer(folder, { alone: ['x.ts'] });
    expect(survive({ root: folder, edits: [edit], renamer, symbols: [{ file: 'x.ts', at }] }).faults).toEqual(faults);
  });
});

test('a mutation whose file has gone is found in another one of the package', () => {
  const [edit] = programs.filter(({ file }) => file.startsWith('libs/simulator/'));
  if (edit === undefined) throw new Error('there is no mutation');
  const gone = { ...edit, file: 'libs/simulator/src/gone.ts' };
  expect(new MutableWorkspace(root).mutate(gone).file).toBe(edit.file);
});

test('the mistakes in the simulation have one place each', () => {
  const workspace = new MutableWorkspace(root);
  const faults = allEdits
    .filter(({ file }) => file.startsWith('libs/simulator/'))
    .map((edit) => workspace.faultOf(edit));
  expect(faults.filter((each) => each !== undefined)).toEqual([]);
});
