import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Share } from './ledger.ts';
import { search } from './search.ts';

test('a search of one scenario runs no other, and without pairs its second share has single faults as well', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ordinal-search-'));
  const out = join(folder, 'shares.jsonl');
  const scenarios = ['imported, resized, left, honest'];
  try {
    const options = { kinds: ['database'], histories: 30, minutes: 5, seed: 1, workers: 1, failures: 1, out };
    expect(await search({ ...options, scenarios, singlesAlone: true })).toBe(true);
    const shares = readFileSync(out, 'utf8').trim().split('\n');
    const found = shares.map((line) => JSON.parse(line) as Share); // As `search` writes them.
    expect(found.map(({ searchScenario, task }) => [searchScenario, task.round])).toEqual([
      [scenarios[0], 0],
      [scenarios[0], 0],
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 300_000);

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

test('a search of scenarios that are not there is a mistake', async () => {
  const options = { kinds: ['cache'], histories: 1, minutes: 1, seed: 1, workers: 1, failures: 1 };
  await expect(search({ ...options, scenarios: ['no such thing'] })).rejects.toThrow(
    'no scenario of cache has this in its name: no such thing',
  );
});
