import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const program = join(import.meta.dirname, '..', '..', 'apps', 'operator', 'dist', 'ordinal-operator.mjs');
const startsWithinMs = 60_000;

/** What the operator runs on. */
export interface OperatorOptions {
  readonly kubeconfig: string;
  readonly namespace: string;
  /** Where it serves its metrics; 0 for nowhere. */
  readonly metricsPort: number;
  /** Where its log is written. */
  readonly logFile: string;
}

/** The operator's program, as a process of its own. */
export class OperatorProcess {
  readonly #options: OperatorOptions;
  #child: ChildProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();

  constructor(options: OperatorOptions) {
    this.#options = options;
  }

  /** Starts it, and resolves once it says that it is ready. Rejects with the end of its log where it is not. */
  async start(): Promise<void> {
    const healthPort = await freePort();
    const log = openSync(this.#options.logFile, 'a');
    const child = spawn(process.execPath, [program, ...this.#flags(healthPort)], {
      stdio: ['ignore', log, log],
      // Nothing of the caller's environment configures it.
      env: { PATH: process.env['PATH'], NODE_OPTIONS: '' },
    });
    closeSync(log);
    this.#child = child;
    this.#exited = once(child, 'exit');
    // However the demo ends, the operator does not outlive it.
    const endWith = (): void => void child.kill('SIGKILL');
    process.once('exit', endWith);
    child.once('exit', () => process.off('exit', endWith));
    const late = Date.now() + startsWithinMs;
    while (!(await isReady(healthPort))) {
      if (child.exitCode !== null || Date.now() > late)
        throw new Error(`the operator did not get ready:\n${this.logTail()}`);
      await pause(100);
    }
  }

  /** The process's number. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Ends it as a crash or a lost node does: at once, whatever it is doing. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#exited;
  }

  /** Asks it to end, and returns its exit code; null where it had to be killed. */
  async stop(): Promise<number | null> {
    const child = this.#child;
    if (child === undefined) return 0;
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), startsWithinMs);
    await this.#exited;
    clearTimeout(late);
    return child.exitCode;
  }

  /** The last lines of its log. */
  logTail(): string {
    return readFileSync(this.#options.logFile, 'utf8').trimEnd().split('\n').slice(-20).join('\n');
  }

  #flags(healthPort: number): readonly string[] {
    const { kubeconfig, namespace, metricsPort } = this.#options;
    return [
      `--kubeconfig=${kubeconfig}`,
      `--namespaces=${namespace}`,
      // Restarted in its pod it has the same name, and takes the lease up at once.
      '--pod-name=ordinal-operator-demo',
      `--pod-namespace=${namespace}`,
      // The monitors and the cloud of the demo are on this machine.
      '--allowed-networks=127.0.0.0/8',
      // They show a registration at once.
      '--monitor-settle=0s',
      // An API server can't call webhooks of a process outside of its cluster.
      '--webhooks=false',
      `--health-port=${healthPort}`,
      `--metrics-port=${metricsPort}`,
      '--log-format=text',
    ];
  }
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A TCP server's address.
  server.close();
  await once(server, 'close');
  return port;
}
