import { execFile, execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const cluster = join(import.meta.dirname, '../../../../tools/cluster/cluster');

/** Helm, as tests run it, or why there is none. */
export type FoundHelm = { readonly program: string } | { readonly missing: string };

/** The Helm that `npm run helm` builds: built now, where there is Go. */
export function findHelm(): FoundHelm {
  const run = (...command: readonly [string, ...string[]]): string =>
    execFileSync('bash', [cluster, ...command], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  try {
    run('helm', 'version');
    return { program: join(run('bin'), 'helm') };
  } catch (error) {
    return { missing: String(error).split('\n').at(-1) ?? '' };
  }
}

/** What a run of Helm printed. */
export interface HelmResult {
  readonly isDone: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Helm; that it fails is a result. It has nothing of the user's: no cluster but the one of a `--kubeconfig`. */
export async function helm(program: string, args: readonly string[]): Promise<HelmResult> {
  const env = { PATH: process.env['PATH'], HOME: homedir() };
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, { env, maxBuffer: 2 ** 26 });
    return { isDone: true, stdout, stderr };
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return { isDone: false, stdout, stderr };
  }
}
