import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
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
    this.#binaries = execFileSync('bash', [program, 'bin'], { encoding: 'utf8' }).trim();
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
