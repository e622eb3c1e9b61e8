import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runtime } from '../../tools/workspace/image/operator-image.ts';

/** What an operator is started with. */
export interface OperatorOptions {
  readonly kubeconfig: string;
  /** Its name among replicas that share the work, and the name of their first lease. Alone it takes no lease. */
  readonly replica?: { readonly name: string; readonly lease: string };
  /** Calls a second that it may make at the provider. */
  readonly providerRate: number;
  readonly metricsPort: number;
}

/** An operator that runs in a process of its own. */
export interface OperatorProcess {
  /** Resident memory in MiB: now, and at its highest. */
  memory(): { readonly now: number; readonly peak: number };
  /** Processor time so far, in seconds. */
  cpuSeconds(): number;
  /** Requests of the API server so far. */
  requests(): Promise<number>;
  stop(): Promise<void>;
  /** Ends it at once: its leases stay until they run out. */
  kill(): Promise<void>;
}

const program = join(import.meta.dirname, '../../apps/operator/dist/ordinal-operator.mjs');
const node = join(import.meta.dirname, '../../node_modules/.bin/node');

/** Clock ticks in a second, as the kernel counts processor time. */
const ticksPerSecond = 100;

/** Starts the operator's bundle. Throws where it was not built. */
export function startOperator({ kubeconfig, replica, providerRate, metricsPort }: OperatorOptions): OperatorProcess {
  if (!existsSync(program)) throw new Error('the operator is not built: npm -w @ordinal/operator run bundle');
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    '--kinds=CloudDatabase',
    '--webhooks=false',
    '--health-port=0',
    `--metrics-port=${metricsPort}`,
    `--provider-rate=${providerRate}`,
    '--allowed-networks=127.0.0.0/8',
    '--log-level=error',
    ...(replica
      ? ['--share-work', `--pod-name=${replica.name}`, `--lease-name=${replica.lease}`]
      : ['--leader-elect=false']),
  ];
  // As the image starts it.
  const child = spawn(node, [...runtime.flags, program, ...flags], {
    env: { ...process.env, ...Object.fromEntries(runtime.environment.map((entry) => entry.split('=', 2))) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const status = (name: string): number => {
    const line = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${child.pid ?? 0}/status`, 'utf8'));
    return Math.round(Number(line?.[1] ?? 0) / 1024);
  };
  return {
    memory: () => ({ now: status('VmRSS'), peak: status('VmHWM') }),
    cpuSeconds: () => {
      const fields = readFileSync(`/proc/${child.pid ?? 0}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
    },
    requests: async () => {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      const lines = text.split('\n').filter((line) => line.startsWith('rest_client_requests_total'));
      return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
