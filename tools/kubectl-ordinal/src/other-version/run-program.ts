import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How a program has ended, and what it said. */
export interface ProgramEnd {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** How a program is run. */
export interface RunOptions {
  /** Node's program: a path, or its name on the PATH. */
  readonly node: string;
  readonly input?: string | undefined;
  readonly signal: AbortSignal;
}

/** More than this is not taken in, in bytes. */
const maxOutput = 256 << 20;

/** Runs an ES module by Node, with this process's environment and folder, until it ends. What could not be started, or was ended from outside, has the exit code 1. */
export async function runProgram(
  program: Uint8Array,
  args: readonly string[],
  { node, input = '', signal }: RunOptions,
): Promise<ProgramEnd> {
  const folder = await mkdtemp(join(tmpdir(), 'kubectl-ordinal-'));
  try {
    const file = join(folder, 'program.mjs');
    await writeFile(file, program, { mode: 0o600 });
    return await new Promise((resolve) => {
      const child = execFile(node, [file, ...args], { maxBuffer: maxOutput, signal }, (error, out, err) => {
        const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ exitCode, out, err: err === '' ? (error?.message ?? '') : err });
      });
      // A program may end without having read.
      child.stdin?.on('error', () => undefined).end(input);
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}
