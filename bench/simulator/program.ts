// `ordinal-simulate` as a user runs it: a process of its own, over HTTP.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, httpTransport } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { listAndWatch } from './objects.ts';
import { cpuMsOf, peakMiB } from './process.ts';

/** A program that runs. */
interface Running {
  readonly pid: number;
  readonly end: () => void;
}

/** Starts the program and waits until it says that it listens. */
async function listening(kubeconfig: string): Promise<Running> {
  const given = process.env['ORDINAL_SIMULATE'];
  if (given === undefined) throw new Error('ORDINAL_SIMULATE names no program: run.ts builds it and says where it is');
  const program = JSON.parse(given) as readonly string[];
  const child = spawn(process.execPath, [...program, '--control-plane', '--kubeconfig', kubeconfig], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`ordinal-simulate ended with ${code}`)));
    child.stdout.once('data', () => resolve());
  });
  if (child.pid === undefined) throw new Error('ordinal-simulate has no process id');
  return { pid: child.pid, end: () => void child.kill() };
}

/** CPU time of the program until it listens, and its peak memory while a client in another process fills, lists and watches. */
export async function program(): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), 'ordinal-simulate-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const { pid, end } = await listening(kubeconfig);
  try {
    const started = { startedMs: cpuMsOf(pid), startedMiB: peakMiB(pid) };
    const transport = httpTransport(await kubeconfigServer({ files: [kubeconfig] }));
    const figures = await listAndWatch(createClient({ transport }), () => peakMiB(pid));
    await transport.close();
    return { ...started, ...figures };
  } finally {
    end();
    rmSync(folder, { recursive: true });
  }
}
