import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Collects what is worth reading when a step has failed, by file name. */
export type Evidence = () => Promise<Readonly<Record<string, string>>>;

/** Steps one at a time, with how long each took. A step that fails keeps evidence in a folder and ends its scenario, not the run. */
export class Report {
  passed = 0;
  failed = 0;
  skipped = 0;
  readonly #folder: string;
  readonly #evidence: Evidence;

  constructor(folder: string, evidence: Evidence) {
    this.#folder = folder;
    this.#evidence = evidence;
  }

  /** Runs the steps of a scenario. The first one that fails ends it. */
  async scenario(name: string, run: () => Promise<void>): Promise<void> {
    console.log(`\n${name}`);
    const started = performance.now();
    try {
      await run();
      console.log(`  ${seconds(started)} in all`);
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      console.log('  the rest of it is left out');
    }
  }

  /** Runs one step and returns what it found. What it returns as text stands behind its name. */
  async step<T>(name: string, action: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      const found = await action();
      this.passed += 1;
      console.log(
        `  ok      ${seconds(started)}  ${name}${typeof found === 'string' && found !== '' ? `: ${found}` : ''}`,
      );
      return found;
    } catch (error) {
      this.failed += 1;
      const message = error instanceof Error ? error.message : String(error);
      console.log(`  failed  ${seconds(started)}  ${name}: ${message}`);
      await this.#keep(name, error);
      throw new StepFailed(name, { cause: error });
    }
  }

  skip(name: string, reason: string): void {
    this.skipped += 1;
    console.log(`  skipped           ${name}: ${reason}`);
  }

  async #keep(name: string, error: unknown): Promise<void> {
    const folder = join(this.#folder, name.replace(/[^a-z0-9]+/gi, '-').slice(0, 60));
    mkdirSync(folder, { recursive: true });
    const evidence = await this.#evidence().catch((failure: unknown) => ({ 'evidence-error.txt': String(failure) }));
    const story = error instanceof Error ? (error.stack ?? error.message) : String(error);
    for (const [file, text] of Object.entries({ ...evidence, 'error.txt': story }))
      writeFileSync(join(folder, file), text);
    console.log(`          logs: ${folder}`);
  }
}

class StepFailed extends Error {
  override readonly name = 'StepFailed';
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1).padStart(6)} s`;
}
