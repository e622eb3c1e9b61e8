import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Collects what is worth reading when a step has failed, by file name. */
export type Evidence = () => Promise<Readonly<Record<string, string>>>;

/** What has ended how: one count for all reports of a run. */
interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Steps one at a time, with how long each took. A step that fails keeps evidence in a folder and ends its scenario, not the run. */
export class Report {
  #counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  #print: (line: string) => void = (line) => console.log(line);
  readonly #folder: string;
  readonly #evidence: Evidence;

  constructor(folder: string, evidence: Evidence) {
    this.#folder = folder;
    this.#evidence = evidence;
  }

  get passed(): number {
    return this.#counts.passed;
  }

  get failed(): number {
    return this.#counts.failed;
  }

  get skipped(): number {
    return this.#counts.skipped;
  }

  /**
   * Runs parts at the same time, each with a report that counts with this one and prints the part's lines together when it ends. A step that fails ends its own part alone; what else is
   * thrown is thrown once all have ended.
   */
  async together(parts: readonly ((report: Report) => Promise<void>)[]): Promise<void> {
    const ends = await Promise.allSettled(parts.map((part) => this.#apart(part)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  async #apart(part: (report: Report) => Promise<void>): Promise<void> {
    const lines: string[] = [];
    const report = new Report(this.#folder, this.#evidence);
    report.#counts = this.#counts;
    report.#print = (line) => lines.push(line);
    await part(report).finally(() => this.#print(lines.join('\n')));
  }

  /** Runs the steps of a scenario. The first one that fails ends it. */
  async scenario(name: string, run: () => Promise<void>): Promise<void> {
    this.#print(`\n${name}`);
    const started = performance.now();
    try {
      await run();
      this.#print(`  ${seconds(started)} in all`);
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      this.#print('  the rest of it is left out');
    }
  }

  /** Runs one step and returns what it found. What it returns as text stands behind its name. */
  async step<T>(name: string, action: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      const found = await action();
      this.#counts.passed += 1;
      this.#print(
        `  ok      ${seconds(started)}  ${name}${typeof found === 'string' && found !== '' ? `: ${found}` : ''}`,
      );
      return found;
    } catch (error) {
      this.#counts.failed += 1;
      const message = error instanceof Error ? error.message : String(error);
      this.#print(`  failed  ${seconds(started)}  ${name}: ${message}`);
      await this.#keep(name, error);
      throw new StepFailed(name, { cause: error });
    }
  }

  skip(name: string, reason: string): void {
    this.#counts.skipped += 1;
    this.#print(`  skipped           ${name}: ${reason}`);
  }

  async #keep(name: string, error: unknown): Promise<void> {
    const folder = join(this.#folder, name.replace(/[^a-z0-9]+/gi, '-').slice(0, 60));
    mkdirSync(folder, { recursive: true });
    const evidence = await this.#evidence().catch((failure: unknown) => ({ 'evidence-error.txt': String(failure) }));
    const story = error instanceof Error ? (error.stack ?? error.message) : String(error);
    for (const [file, text] of Object.entries({ ...evidence, 'error.txt': story }))
      writeFileSync(join(folder, file), text);
    this.#print(`          logs: ${folder}`);
  }
}

class StepFailed extends Error {
  override readonly name = 'StepFailed';
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1).padStart(6)} s`;
}
