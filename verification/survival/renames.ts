/**
 * Renames symbols that mutations speak of, one at a time and in memory, and says which mutations that breaks.
 *
 *   node --conditions=ordinal-source verification/survival/renames.ts [--project libs/reconcilers/tsconfig.json] [--seed 1] [--count 100]
 *
 * The project's whole program is renamed in: also members whose type another file declares. Without `--project` each file is a world of its own, as in the
 * test. Exits 1 when a mutation breaks.
 */
import { join } from 'node:path';
import { allEdits } from './all.ts';
import { Renamer } from './language.ts';
import { shuffled } from './random.ts';
import { survive, symbolsOf } from './survival.ts';
import { readFlags } from '../../tools/flags/flags.ts';

const { values } = readFlags(
  'node --conditions=ordinal-source verification/survival/renames.ts [--project TSCONFIG] [--count 100] [--seed 1]',
  {
    options: {
      project: { type: 'string' },
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '100' },
    },
  },
);
const root = join(import.meta.dirname, '../..');
const edits = allEdits.filter(({ file }) => /(?<!generated.*)\.ts$/.test(file));
const alone = [...new Set(edits.map(({ file }) => file))];
const renamer = new Renamer(root, values.project === undefined ? { alone } : { project: values.project });
const symbols = shuffled(symbolsOf(root, edits), Number(values.seed)).slice(0, Number(values.count));
const { faults, ...figures } = survive({ root, edits, renamer, symbols });
for (const fault of faults) console.log(fault);
console.log(`${JSON.stringify(figures)}: ${String(faults.length)} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
