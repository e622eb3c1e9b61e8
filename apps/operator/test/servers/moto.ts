import { execFile, spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './postgres.ts';

const run = promisify(execFile);

/** The version that the tests were written against. */
const wanted = 'moto[server]==5.2.1';

/** The Python that has moto's server, or why there is none. */
export type Moto = { readonly python: string } | { readonly missing: string };

/**
 * Finds moto's server, which plays AWS: in the Python at hand, or in a virtual environment of the project's own below the user's cache. That is made where it is
 * missing, with the user's own pip; without Python, or without a package registry, it is said what is missing.
 */
export async function prepareMoto(): Promise<Moto> {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(cache, 'ordinal-moto');
  const own = join(folder, 'bin', 'python');
  for (const python of ['python3', own]) if (await has(python)) return { python };
  try {
    await run('python3', ['-m', 'venv', folder], { timeout: 60_000 });
  } catch {
    return { missing: 'there is no Python with venv' };
  }
  try {
    const quiet = ['--quiet', '--disable-pip-version-check', '--retries', '1', '--timeout', '10'];
    await run(own, ['-m', 'pip', 'install', ...quiet, wanted], { timeout: 300_000 });
  } catch {
    return { missing: `pip could not install ${wanted}` };
  }
  return (await has(own)) ? { python: own } : { missing: `${wanted} can't be imported` };
}

/** Why tests with moto are left out, as a part of their names. */
export function motoNote(moto: Moto): string {
  return 'missing' in moto ? ` (skipped: ${moto.missing})` : '';
}

async function has(python: string): Promise<boolean> {
  return run(python, ['-c', 'import moto.server']).then(
    () => true,
    () => false,
  );
}

/** Moto's server, running. It keeps what it has in memory. */
export interface MotoProcess {
  readonly endpoint: string;
  /** Freezes it: connections are taken and nothing is answered, as by a service that hangs. */
  freeze(): void;
  thaw(): void;
  stop(): void;
}

/** Starts moto's server on a free port. Throws where it can't be run. */
export async function startMoto(moto: Moto): Promise<MotoProcess> {
  if ('missing' in moto) throw new Error(moto.missing);
  const port = await freePort();
  const server = spawn(moto.python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  const endpoint = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const isUp = await fetch(`${endpoint}/moto-api/`).then(
      (reply) => reply.ok,
      () => false,
    );
    if (isUp) {
      return {
        endpoint,
        freeze: () => void server.kill('SIGSTOP'),
        thaw: () => void server.kill('SIGCONT'),
        stop: () => void server.kill('SIGKILL'),
      };
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  server.kill();
  throw new Error('moto did not start');
}
