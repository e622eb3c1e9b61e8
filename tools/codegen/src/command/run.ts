import { readFileSync } from 'node:fs';
import { CodegenError } from '../error.ts';
import { generate } from '../generate.ts';
import { parseArguments, usage } from './arguments.ts';
import { formatDifferences } from './difference.ts';
import { readInputs } from './inputs.ts';
import { compareFolder, writeFolder } from './write.ts';

/** Where a command's text goes. */
export interface Console {
  out(text: string): void;
  error(text: string): void;
}

/**
 * Runs the command and returns its exit code: 0 done, 1 `--check` found a difference, 2 bad use, bad input or an output that can't be written. Each
 * failure is one line. Nothing is written unless everything could be generated.
 */
export function run(argv: readonly string[], console: Console): 0 | 1 | 2 {
  try {
    const { action, out, inputs, ...options } = parseArguments(argv);
    if (action === 'help' || action === 'version') {
      console.out(action === 'help' ? usage : packageVersion());
      return 0;
    }
    const differences = compareFolder(out, generate(readInputs(inputs), options));
    if (action === 'generate') {
      writeFolder(out, differences);
      return 0;
    }
    if (differences.length === 0) return 0;
    console.out(formatDifferences(out, differences));
    console.error(
      `${out} is out of date: ${String(differences.length)} file(s) differ; run the same command without --check`,
    );
    return 1;
  } catch (error) {
    console.error(`ordinal-codegen: ${error instanceof CodegenError ? error.message : unexpected(error)}`);
    return 2;
  }
}

/** One line for what should not have happened: it is a fault of the generator, and a CI log has to say where. */
function unexpected(error: unknown): string {
  const [first = '', ...stack] = (error instanceof Error ? (error.stack ?? error.message) : String(error)).split('\n');
  return `a fault of the generator; please report it with the CRD: ${first} ${stack.slice(0, 2).join(' ').replace(/\s+/g, ' ').trim()}`;
}

function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  return manifest.version;
}
