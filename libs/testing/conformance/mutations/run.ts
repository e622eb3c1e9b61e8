/**
 * Breaks copies of the simulation, one mistake at a time, and tells whether the suite notices.
 *
 * `KUBECONFIG=… node --conditions=ordinal-source conformance/mutations/run.ts [text in the mutation's name]`: the real world's replies are recorded once,
 * and the unbroken simulation has to agree with them first.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { mutations } from './list.ts';
import type { Mutation } from './list.ts';

const [filter = ''] = process.argv.slice(2);
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const home = resolve(import.meta.dirname, '../..');
const workspace = resolve(home, '../..');

/** Runs a program of the copy. Answers its exit code and the end of what it printed. */
function ended(
  directory: string,
  options: readonly string[],
): Promise<{ readonly code: number; readonly text: string }> {
  return new Promise((settle, reject) => {
    const child = spawn(process.execPath, options, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => settle({ code: code ?? 1, text: Buffer.concat(chunks).toString('utf8') }));
  });
}

/** A copy of the package that imports what the original does. */
function copied(scratch: string): string {
  const directory = join(scratch, 'libs/testing');
  cpSync(home, directory, { recursive: true, filter: (from) => !/node_modules|\/dist(\/|$)/.test(from) });
  for (const name of ['vitest.shared.ts', 'tsconfig.base.json', 'package.json'])
    cpSync(join(workspace, name), join(scratch, name));
  symlinkSync(join(workspace, 'node_modules'), join(scratch, 'node_modules'));
  return directory;
}

const recording = (scratch: string): string => join(scratch, 'real.json');
const compare = (directory: string, ...flags: string[]): ReturnType<typeof ended> =>
  ended(directory, ['--conditions=ordinal-source', 'conformance/run.ts', ...flags]);
const vitest = join(workspace, 'node_modules/vitest/vitest.mjs');

/** Whether the suite fails with the mistake in it. */
async function noticed(directory: string, scratch: string, mutation: Mutation): Promise<boolean> {
  const path = join(directory, mutation.file);
  const text = readFileSync(path, 'utf8');
  if (text.split(mutation.find).length !== 2)
    throw new Error(`${mutation.file} does not hold this text exactly once: ${mutation.find}`);
  writeFileSync(
    path,
    text.replace(mutation.find, () => mutation.replace),
  );
  try {
    const { code } =
      mutation.noticedBy === 'conformance'
        ? await compare(directory, `--replay=${recording(scratch)}`)
        : await ended(directory, [vitest, 'run', mutation.noticedBy]);
    return code !== 0;
  } finally {
    writeFileSync(path, text);
  }
}

const scratch = mkdtempSync(join(tmpdir(), 'mutations-'));
try {
  const directory = copied(scratch);
  const chosen = mutations.filter(({ name }) => name.includes(filter));
  const sound = await compare(directory, `--record=${recording(scratch)}`);
  const tests = new Set(chosen.map(({ noticedBy }) => noticedBy).filter((name) => name !== 'conformance'));
  const soundTests = await ended(directory, [vitest, 'run', ...tests]);
  if (sound.code !== 0 || soundTests.code !== 0)
    throw new Error(`the unbroken simulation fails already:\n${sound.text}\n${soundTests.text}`);
  let missed = 0;
  for (const mutation of chosen) {
    const found = await noticed(directory, scratch, mutation);
    if (!found) missed += 1;
    say(`${found ? '✓ noticed' : '✗ MISSED '}  ${mutation.name}`);
  }
  say(`${chosen.length} mutations, ${chosen.length - missed} noticed`);
  process.exitCode = missed === 0 ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
