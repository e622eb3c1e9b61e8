/**
 * Breaks a copy of the simulation, one mistake at a time, and reports which case or test notices it.
 *
 * `KUBECONFIG=… node --conditions=ordinal-source conformance/mutations/run.ts [text in the mutation's name]`: the real world's replies are recorded once,
 * and the unbroken simulation has to agree with them, and to pass the tests, first. A suite that crashes, or does not end in time, has noticed nothing.
 * A run of all mutations leaves what it found in `results.md`.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Mutable } from '../../../../verification/mutations/mutate.ts';
import { mutations } from './list.ts';
import type { Mutation } from './list.ts';

const [filter = ''] = process.argv.slice(2);
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const home = resolve(import.meta.dirname, '../..');
const workspace = resolve(home, '../..');

const results = join(import.meta.dirname, 'results.md');
const heading = '# What the suite notices\n\nWritten by `run.ts`, which breaks the simulation in one place at a time.';
const columns = '| mistake | noticed by |\n|---|---|';

/** No run of the suite takes half of this. */
const limitMs = 300_000;

interface Ended {
  /** The exit code; undefined where the program was ended because it took too long. */
  readonly code: number | undefined;
  readonly text: string;
}

/** Runs a program of the copy. */
function ended(directory: string, options: readonly string[]): Promise<Ended> {
  return new Promise((settle, reject) => {
    const child = spawn(process.execPath, options, {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1' },
    });
    const chunks: Buffer[] = [];
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, limitMs);
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      settle({ code: isLate ? undefined : (code ?? 1), text: Buffer.concat(chunks).toString('utf8') });
    });
  });
}

/** A copy of the package that imports what the original does. */
function copied(scratch: string): string {
  const directory = join(scratch, 'libs/simulator');
  cpSync(home, directory, { recursive: true, filter: (from) => !/node_modules|\/dist(\/|$)/.test(from) });
  for (const name of ['vitest.shared.ts', 'tsconfig.base.json', 'package.json'])
    cpSync(join(workspace, name), join(scratch, name));
  cpSync(join(workspace, 'tools/flags'), join(scratch, 'tools/flags'), { recursive: true });
  symlinkSync(join(workspace, 'node_modules'), join(scratch, 'node_modules'));
  return directory;
}

const recording = (scratch: string): string => join(scratch, 'real.json');
const compare = (directory: string, ...flags: string[]): Promise<Ended> =>
  ended(directory, ['--conditions=ordinal-source', 'conformance/run.ts', ...flags]);
const vitest = join(workspace, 'node_modules/vitest/vitest.mjs');

interface Verdict {
  readonly noticed: boolean;
  /** The case or test that noticed it, or why nothing counts as having done so. */
  readonly by: string;
}

/** What the comparison found: a case whose replies differ. One that throws, in a simulation that is only a little wrong, has compared nothing. */
function judgeComparison({ code, text }: Ended): Verdict {
  if (code === undefined) return { noticed: false, by: 'the comparison does not end' };
  if (!/^\d+ cases, \d+ different/m.test(text))
    return { noticed: false, by: `the comparison crashes: ${text.slice(-300)}` };
  const found = [...text.matchAll(/^✗ (.*)\n {3}\d+\. /gm)].map(([, name]) => name);
  if (found.length > 0)
    return { noticed: true, by: `${found[0] ?? ''}${found.length > 1 ? `, and ${found.length - 1} more` : ''}` };
  return { noticed: false, by: code === 0 ? 'all cases agree' : `a case crashes: ${text.slice(-300)}` };
}

/** What the tests found: one that failed. A file that can not be loaded has tested nothing. */
function judgeTests({ code, text }: Ended): Verdict {
  if (code === undefined) return { noticed: false, by: 'the tests do not end' };
  const failed = /^ *FAIL +\S+ > (.*)$/m.exec(text)?.[1];
  if (failed !== undefined) return { noticed: true, by: failed };
  return { noticed: false, by: code === 0 ? 'all tests pass' : `no test failed, but: ${text.slice(-300)}` };
}

/** What the suite says with the mistake in it. */
async function tried(directory: string, scratch: string, mutation: Mutation): Promise<Verdict> {
  const path = join(directory, mutation.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, new Mutable(mutation.file, text).mutate(mutation));
  try {
    return mutation.noticedBy === 'conformance'
      ? judgeComparison(await compare(directory, `--replay=${recording(scratch)}`))
      : judgeTests(await ended(directory, [vitest, 'run', mutation.noticedBy]));
  } finally {
    writeFileSync(path, text);
  }
}

const scratch = mkdtempSync(join(tmpdir(), 'mutations-'));
try {
  const directory = copied(scratch);
  const chosen = mutations.filter(({ name }) => name.includes(filter));
  const sound = await compare(directory, `--record=${recording(scratch)}`);
  if (sound.code !== 0) throw new Error(`the unbroken simulation differs already:\n${sound.text}`);
  // The recording is held against the simulation once more: it must say the same without the real server.
  const again = await compare(directory, `--replay=${recording(scratch)}`);
  if (again.code !== 0) throw new Error(`the recording differs from the unbroken simulation:\n${again.text}`);
  const tests = new Set(chosen.map(({ noticedBy }) => noticedBy).filter((name) => name !== 'conformance'));
  const soundTests = tests.size === 0 ? undefined : await ended(directory, [vitest, 'run', ...tests]);
  if (soundTests && soundTests.code !== 0)
    throw new Error(`the unbroken simulation fails already:\n${soundTests.text}`);
  say('without a mistake, all cases agree and all tests pass');
  let missed = 0;
  const rows: string[] = [];
  for (const mutation of chosen) {
    const { noticed, by } = await tried(directory, scratch, mutation);
    if (!noticed) missed += 1;
    rows.push(`| ${mutation.name} | ${noticed ? by : `**missed**: ${by}`} |`);
    say(`${noticed ? '✓ noticed' : '✗ MISSED '}  ${mutation.name}\n            ${by}`);
  }
  const summary = `${chosen.length} mutations, ${chosen.length - missed} noticed`;
  say(summary);
  if (filter === '') writeFileSync(results, `${heading}\n\n${summary}.\n\n${columns}\n${rows.join('\n')}\n`);
  process.exitCode = missed === 0 ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
