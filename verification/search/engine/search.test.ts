import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Share } from './ledger.ts';
import { search } from './search.ts';

test('a search runs its histories in processes of their own, and writes down what they found', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ordinal-search-'));
  const out = join(folder, 'shares.jsonl');
  try {
    const options = { kinds: ['database'], histories: 1, minutes: 2, seed: 5, workers: 1, failures: 1, out };
    expect(await search(options)).toBe(true);
    const shares = readFileSync(out, 'utf8').trim().split('\n');
    expect(shares.map((line) => (JSON.parse(line) as Share).kind)).toEqual(['database']); // As `search` writes them.
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 120_000);
