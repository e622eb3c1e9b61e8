import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Step } from './steps.ts';

/** Where a reader types, and for how long one waits for what a page shows. */
export interface ReaderOptions {
  /** An empty folder: files are saved in it. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** In milliseconds. */
  readonly patience: number;
  /** Called when what the page shows has been printed. */
  readonly shown?: (() => void) | undefined;
}

/** A reader who does what a page says, in order, and compares what is printed with what the page shows. */
export class Reader {
  private manifest = '';
  private readonly options: ReaderOptions;

  constructor(options: ReaderOptions) {
    this.options = options;
  }

  /** Saves a file, or types commands. Rejects where a command fails, or does not print what the page shows in time. */
  async follow(step: Step): Promise<void> {
    if (step.kind === 'file') {
      this.manifest = step.body;
      return;
    }
    const { commands, shows } = step;
    const before = shows === undefined ? commands : commands.slice(0, -1);
    for (const command of before) await this.type(command);
    if (shows === undefined) return;
    await this.untilShown(commands.at(-1) ?? '', shows);
    this.options.shown?.();
  }

  /** Runs a command once, and returns what it printed. A file that it names is the block of YAML before it. */
  private async type(command: string, until?: RegExp): Promise<string> {
    const { folder, env, patience } = this.options;
    const [, file] = /-f (\S+\.yaml)/.exec(command) ?? [];
    if (file !== undefined) writeFileSync(join(folder, file), this.manifest);
    const child = spawn('bash', ['-c', `exec ${command}`], { cwd: folder, env: { ...env }, detached: true });
    let printed = '';
    const end = (): boolean => process.kill(-(child.pid ?? 0), 'SIGTERM');
    const late = setTimeout(end, patience);
    const listen = (chunk: Buffer): void => {
      printed += chunk.toString();
      if (until?.test(printed) === true) end();
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    clearTimeout(late);
    if (until?.test(printed) === true) return printed;
    if (code !== 0) throw new Error(`${command}\nended with ${String(code)}: ${printed}`);
    return printed;
  }

  /** What is shown comes when the operator has got there: the command is typed again until then, or goes on with `--watch`. */
  private async untilShown(command: string, shows: RegExp): Promise<void> {
    const late = Date.now() + this.options.patience;
    for (;;) {
      const printed = await this.type(command, shows);
      if (shows.test(printed)) return;
      if (Date.now() > late) throw new Error(`${command}\nprinted: ${printed}\nand the page shows: ${shows.source}`);
      await pause(500);
    }
  }
}
