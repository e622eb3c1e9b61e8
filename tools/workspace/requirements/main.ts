/**
 * Puts a mistake into a copy of the workspace for each row of docs/evidence/requirements.md, and says whether the test that the row names notices it.
 *
 *   npm run requirements [-- ROW…] [--share 1/4] [--resume] [--workers 2] [--seconds 120]
 *
 * ROW is an ID such as `000.14`, a section such as `000`, or a part of the row's text. `--share 1/4` runs the first of four parts, `--resume` leaves out the
 * rows that were noticed with the same mistake, in the same file, by the same tests, `--seconds` is the CPU-time that one file's tests may use. Only the named tests run. They have to pass without
 * the mistake first, and a mistake is noticed when one of them fails: what is no program, and what does not end in time, is not noticed. What came of
 * each row is kept in `results.json` beside this file; the page says when that was. Exits 1 when a row is not noticed.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyPackages } from '../../../verification/mutations/copy.ts';
import { sections } from './mutations/index.ts';
import { fingerprintOf } from './fingerprint.ts';
import { pair } from './pairs.ts';
import type { Pair } from './pairs.ts';
import { Results, withSummary } from './results.ts';
import { rowsOf } from './rows.ts';
import { tryRow } from './try-row.ts';
import { readFlags } from '../../flags/flags.ts';

const { values, positionals } = readFlags(
  'npm run requirements [-- ROW…] [--share 1/4] [--resume] [--workers 2] [--seconds 120]',
  {
    allowPositionals: true,
    options: {
      share: { type: 'string', default: '1/1' },
      resume: { type: 'boolean', default: false },
      workers: { type: 'string', default: '2' },
      seconds: { type: 'string', default: '120' },
    },
  },
);
const root = join(import.meta.dirname, '../../..');
const pageFile = join(root, 'docs/evidence/requirements.md');
const rows = rowsOf(readFileSync(pageFile, 'utf8'));
const { pairs, exempt, faults } = pair(rows, sections);
for (const fault of faults) console.log(fault);
const results = new Results(join(import.meta.dirname, 'results.json'));
results.keepOnly(rows);
const commit = execFileSync('git', ['rev-parse', '--short=9', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
const date = new Date().toISOString().slice(0, 10);
const [part = 1, parts = 1] = values.share.split('/').map(Number);

const isChosen = (id: string, claim: string): boolean =>
  positionals.length === 0 ||
  positionals.some((text) => id === text || id.startsWith(`${text}.`) || claim.includes(text));
const known = results.all();
const isKnown = (each: Pair): boolean => {
  const result = known[each.row.id];
  return result?.noticed === true && result.content === fingerprintOf(each, root);
};
const waiting = pairs
  .filter(({ row }) => isChosen(row.id, row.claim))
  .filter((_, index) => index % parts === part - 1)
  .filter((each) => !(values.resume && isKnown(each)));
let missed = 0;
const all = waiting.length;

async function worker(folder: string): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { row } = next;
    const began = performance.now();
    const content = fingerprintOf(next, folder);
    const { noticed, by } = await tryRow(next, { folder, cpuSeconds: Number(values.seconds) });
    const seconds = Math.round((performance.now() - began) / 1000);
    if (!noticed) missed += 1;
    results.keep(row.id, { claim: row.claim, noticed, by, seconds, content, commit, date });
    console.log(
      `${noticed ? 'noticed    ' : 'NOT NOTICED'} ${row.id}, ${String(seconds)} s: ${row.claim.slice(0, 70)}: ${by}`,
    );
  }
}

const folders = Array.from({ length: Math.max(1, Math.min(4, Number(values.workers))) }, () =>
  mkdtempSync(join(tmpdir(), 'requirements-')),
);
try {
  for (const folder of folders) {
    copyPackages(root, folder, ['.']);
    // Some tests look at all files that git knows.
    for (const command of [
      ['init', '--quiet'],
      ['add', '--all'],
    ])
      execFileSync('git', command, { cwd: folder });
  }
  await Promise.all(folders.map(worker));
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
const page = readFileSync(pageFile, 'utf8');
writeFileSync(pageFile, withSummary(page, { rows: rows.length, exempt }, Object.values(results.all())));
console.log(
  `${String(all - missed)} of ${String(all)} noticed; ${String(faults.length)} rows of the page without a run`,
);
process.exitCode = missed === 0 ? 0 : 1;
