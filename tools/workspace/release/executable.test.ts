import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bundlePlugin } from '../../kubectl-ordinal/bundle-plugin.ts';
import { makeExecutable } from './executable.ts';

const scratch = mkdtempSync(join(tmpdir(), 'ordinal-executable-test-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** The machine's Node may be a link to one of many files. */
const node = process.execPath;
const recordings = new URL('../../kubectl-ordinal/test/recordings/0.1.0/', import.meta.url);

test('the plugin as one file runs where there is no Node, with what it loads only when it is asked', async () => {
  const [program, output] = [join(scratch, 'kubectl-ordinal.mjs'), join(scratch, 'kubectl-ordinal')];
  await bundlePlugin(program);
  makeExecutable({ program, node }, output);
  rmSync(program);
  const run = (...words: readonly string[]): string =>
    execFileSync(output, words, { encoding: 'utf8', env: { PATH: '' }, cwd: scratch });
  expect(run('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  const key = join(scratch, 'key');
  writeFileSync(key, Buffer.alloc(32, 'the key of recordings'));
  const recording = new URL('set-registration.rec.zst', recordings).pathname;
  expect(run('replay', recording, '--key', key)).toMatch(/^(\d+) reconciles of version test, .*: \1 as they were/);
}, 300_000);
