import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from './kubernetes.ts';

/** tools/cluster, for one node. */
export class ClusterProgram {
  readonly #program: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #binaries: string;

  constructor(program: string) {
    this.#program = program;
    this.#environment = { CLUSTER_NAME: 'e2e', CLUSTER_PORT: '16443', ...process.env };
    const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
    this.#binaries = join(process.env['CLUSTER_HOME'] ?? join(cache, 'ordinal-cluster'), 'bin');
  }

  get isBuilt(): boolean {
    return existsSync(join(this.#binaries, 'kube'));
  }

  get kubectl(): string {
    return join(this.#binaries, 'kubectl');
  }

  run(...parameters: readonly string[]): Promise<string> {
    return run('bash', [this.#program, ...parameters], { env: this.#environment });
  }
}
