import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** What a process holds, in bytes. */
interface Memory {
  readonly heapUsed: number;
  readonly rss: number;
}

/** A cluster that the suite is run against. */
export interface World {
  readonly name: 'simulated' | 'real';
  readonly kubeconfig: string;
  /** How much memory the simulation holds, after what it needs no more is gone; undefined for a real cluster. */
  memory?(): Promise<Memory>;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '../..');
const cluster = join(root, 'tools/cluster/cluster');

/** What `tools/cluster` prints. */
export const clusterPrints = (word: 'bin' | 'kubeconfig'): string =>
  execFileSync('bash', [cluster, word], { encoding: 'utf8', env: realEnvironment }).trim();

const realEnvironment = { CLUSTER_NAME: 'conformance', CLUSTER_PORT: '17643', ...process.env };

/** `ordinal-simulate` from its sources, as a process of its own. */
export async function simulated(folder: string): Promise<World> {
  const kubeconfig = join(folder, 'kubeconfig');
  const program = join(root, 'libs/simulator/src/http/simulate.ts');
  // A test that passes because a container of which nothing is known ends well would show nothing.
  const parameters = ['--kubeconfig', kubeconfig, '--undescribed', 'fail'];
  const node = [
    '--conditions=ordinal-source',
    '--expose-gc',
    '--import',
    fileURLToPath(new URL('./memory.ts', import.meta.url)),
  ];
  const child = spawn(process.execPath, [...node, program, ...parameters], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit');
  const listening = once(createInterface(child.stdout as Readable), 'line');
  await Promise.race([
    listening,
    exit.then(() => {
      throw new Error('ordinal-simulate has ended: what it said is above');
    }),
  ]);
  return {
    name: 'simulated',
    kubeconfig,
    async memory() {
      const answer = once(child, 'message');
      child.send('memory');
      // What memory.ts sends.
      const [held] = (await answer) as [Memory];
      return held;
    },
    async stop() {
      child.kill();
      await exit;
    },
  };
}

/** The one-node cluster of `tools/cluster`, with its kubelet: needs root. */
export async function real(): Promise<World> {
  await clusterDoes('up');
  return { name: 'real', kubeconfig: clusterPrints('kubeconfig'), stop: () => clusterDoes('down') };
}

async function clusterDoes(word: 'up' | 'down'): Promise<void> {
  const child = spawn('bash', [cluster, word], { stdio: ['ignore', 'inherit', 'inherit'], env: realEnvironment });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`'cluster ${word}' has failed: what it said is above`);
}
