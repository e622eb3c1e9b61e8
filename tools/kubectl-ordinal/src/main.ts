#!/usr/bin/env node
// The program: reads the environment once, and runs one command.
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { isSea } from 'node:sea';
import { text as textOf } from 'node:stream/consumers';
import { systemClock } from '@ordinal/client';
import { run } from './cli.ts';
import { runProgram } from './other-version/run-program.ts';

const { KUBECONFIG, HOME, USERPROFILE, NO_COLOR, FORCE_COLOR, TERM } = process.env;
// Where this is one file with Node in it, that Node runs this program alone.
const node = isSea() ? 'node' : process.execPath;
const isTerminal = process.stdout.isTTY;
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => interrupted.abort(new Error(`${signal} was received`)));
// A reader that has seen enough (`| head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

async function confirm(question: string): Promise<boolean | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `, { signal: interrupted.signal });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}

// Timers of the client do not keep a program running: without this one it would end in the middle of a retry, without a word.
const running = setInterval(() => undefined, 60_000);
process.exitCode = await run(process.argv.slice(2), {
  environment: { KUBECONFIG, HOME, USERPROFILE },
  clock: systemClock,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isTerminal,
  hasColors: FORCE_COLOR === '1' || (isTerminal && (NO_COLOR ?? '') === '' && TERM !== 'dumb'),
  columns: process.stdout.columns ?? 80,
  rows: process.stdout.rows ?? 24,
  confirm,
  readFile: (path) => (path === '-' ? textOf(process.stdin) : readFile(path, 'utf8')),
  readBytes: (path) => readFile(path),
  runProgram: (program, args, input) => runProgram(program, args, { node, input, signal: interrupted.signal }),
  writeFile,
  interrupted: interrupted.signal,
});
clearInterval(running);
