import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** A program that runs in the background, with its output in a file. */
export interface BackgroundProcess {
  readonly name: string;
  /** Whether it has ended; then, with the last lines of its output. */
  readonly ended: () => string | undefined;
  /** Ends it, and resolves when it has ended. */
  readonly stop: () => Promise<void>;
}

const tailLines = 5;
const patienceMs = 10_000;

/** Starts a program in the background. */
export function startProcess(
  name: string,
  program: string,
  options: { readonly args: readonly string[]; readonly log: string },
): BackgroundProcess {
  const output = openSync(options.log, 'a');
  const child = spawn(program, options.args, { stdio: ['ignore', output, output] });
  closeSync(output);
  let failure: string | undefined;
  child.once('error', (error) => (failure = error.message));
  return {
    name,
    ended: () => {
      if (failure !== undefined) return failure;
      if (child.exitCode === null && child.signalCode === null) return undefined;
      return readFileSync(options.log, 'utf8').trimEnd().split('\n').slice(-tailLines).join('\n');
    },
    stop: () => stopChild(child),
  };
}

function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    const kill = setTimeout(() => child.kill('SIGKILL'), patienceMs);
    child.once('exit', () => {
      clearTimeout(kill);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

/** So many ports on which nothing listens now. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listening()));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function listening(): Promise<ReturnType<typeof createServer>> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}
