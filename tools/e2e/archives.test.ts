import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { madeArchives, makeArchives, type SoftwareArchives, type Wanted } from './archives.ts';

const wanted: Wanted = { scenarios: ['cache', 'etcd'], isWhole: false };
let folder = '';
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'ordinal-archives-')), 'images');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const make = (into: string): Promise<SoftwareArchives> => {
  writeFileSync(join(into, 'redis.tar'), '');
  return Promise.resolve({ archives: [join(into, 'redis.tar')], hasMoto: false, hasKafka: true });
};

test('archives that were made for a run are found by it', async () => {
  const made = await makeArchives(folder, wanted, make);
  expect(made.archives).toEqual([join(folder, 'redis.tar')]);
  expect(madeArchives(folder, wanted)).toEqual(made);
});

test('those of other scenarios are not taken, nor those of a short run by a whole one', async () => {
  await makeArchives(folder, wanted, make);
  expect(() => madeArchives(folder, { ...wanted, scenarios: ['cache'] })).toThrow('are for cache, etcd, not for cache');
  expect(() => madeArchives(folder, { ...wanted, isWhole: true })).toThrow('the images in');
});

test('a making that fails leaves nothing that a run would take, of an earlier one neither', async () => {
  expect(() => madeArchives(folder, wanted)).toThrow('nx run e2e:images makes them');
  await makeArchives(folder, wanted, make);
  await expect(makeArchives(folder, wanted, () => Promise.reject(new Error('no network')))).rejects.toThrow('network');
  expect(() => madeArchives(folder, wanted)).toThrow('nx run e2e:images makes them');
  expect(existsSync(join(folder, 'redis.tar'))).toBe(false);
});
