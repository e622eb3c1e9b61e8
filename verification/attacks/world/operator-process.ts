import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runtime } from '../../../tools/workspace/image/operator-image.ts';
import type { Plane } from './plane.ts';

/** How the operator's process is started. */
export interface OperatorProcessOptions {
  readonly plane: Plane;
  /** The text of the kubeconfig with the operator's own account. */
  readonly kubeconfig: string;
  /** The operator's own namespace. */
  readonly namespace: string;
  readonly flags?: readonly string[];
  /** The limit of the heap in MiB, as a container's limit sets it. None by default. */
  readonly heapMiB?: number;
}

/** The operator as its own process, from its sources, with the image's flags and environment. */
export class OperatorProcess {
  readonly ports: Plane['ports'];
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly #lines: string[] = [];

  constructor({ plane, kubeconfig, namespace, flags = [], heapMiB }: OperatorProcessOptions) {
    this.ports = plane.ports;
    this.#directory = mkdtempSync(join(tmpdir(), 'ordinal-attacked-'));
    const file = join(this.#directory, 'kubeconfig');
    writeFileSync(file, kubeconfig, { mode: 0o600 });
    this.#child = spawn(
      process.execPath,
      [
        '--conditions=ordinal-source',
        ...runtime.flags,
        ...(heapMiB === undefined ? [] : [`--max-old-space-size=${heapMiB}`]),
        join(plane.checkout, 'apps/operator/src/main.ts'),
        `--kubeconfig=${file}`,
        `--pod-namespace=${namespace}`,
        `--webhook-port=${plane.ports.webhooks}`,
        `--metrics-port=${plane.ports.metrics}`,
        `--health-port=${plane.ports.health}`,
        ...flags,
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...Object.fromEntries(runtime.environment.map((line) => line.split('='))) },
      },
    );
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => this.#lines.push(chunk.toString('utf8')));
  }

  /** What it has printed. */
  get log(): string {
    return this.#lines.join('');
  }

  /** Whether the process still runs. */
  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The resident memory of the process, in MiB. */
  get residentMiB(): number {
    const pages = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.#child.pid ?? 0}/status`, 'utf8'))?.[1];
    return Number(pages) / 1024;
  }

  /** Its metrics, as text. */
  async metrics(): Promise<string> {
    return await (await fetch(`http://127.0.0.1:${this.ports.metrics}/metrics`)).text();
  }

  /** How many bytes its caches of a kind hold, as it says itself, such as of `pods`. */
  async cachedBytes(kind: string): Promise<number> {
    const lines = (await this.metrics()).split('\n').filter((line) => line.startsWith(`ordinal_cache_bytes{`));
    const own = lines.filter((line) => line.includes(`kind="${kind}"`));
    if (own.length === 0) throw new Error(`no cache is of ${kind}: ${lines.join('; ')}`);
    return own.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }

  /** Whether it says that it is ready. */
  async isReady(): Promise<boolean> {
    return await fetch(`http://127.0.0.1:${this.ports.health}/readyz`).then(
      (reply) => reply.ok,
      () => false,
    );
  }

  /** Resolves when it is ready; rejects with its log where it has ended, or is not ready in time. */
  async untilReady(timeoutMs = 60_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!(await this.isReady())) {
      if (!this.isRunning) throw new Error(`the operator has ended: ${this.log}`);
      if (performance.now() > deadline) throw new Error(`the operator is not ready: ${this.log}`);
      await pause(100);
    }
  }

  /** Asks it to end, as the kubelet does. */
  terminate(): void {
    this.#child.kill('SIGTERM');
  }

  /** Ends it, without a chance to tidy up. */
  async stop(): Promise<void> {
    if (this.isRunning) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
