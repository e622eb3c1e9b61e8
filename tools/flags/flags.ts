/* How the programs of this repository read their command lines. What is installed elsewhere (the operator, `ordinal-codegen`, `ordinal-simulate`) has its own. */
import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';

/** Flags and words as `parseArgs` types them, or what is to be printed instead of running. */
export type FlagsRead<Config extends ParseArgsConfig> =
  | { readonly ok: true; readonly read: ReturnType<typeof parseArgs<Config>> }
  | { readonly ok: false; readonly prints: string; readonly exitCode: 0 | 2 };

/**
 * Reads `args` strictly. `--help` and `-h` ask for the usage, to which a list of the flags and their defaults is added where it is one line; what is wrong
 * is said in one line that also says what would be right.
 */
export function parseFlags<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
  args: readonly string[],
): FlagsRead<Config> {
  if (args.includes('--help') || args.includes('-h')) {
    const list = usage.includes('\n') ? '' : listOf(config);
    return { ok: false, prints: `usage: ${usage}${list}`, exitCode: 0 };
  }
  try {
    return { ok: true, read: parseArgs<Config>({ ...config, args: [...args] }) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // What follows the first sentence is advice for programs that take words beginning with a dash.
    const [mistake = ''] = error.message.split(/[.\n]/);
    const names = ['help', ...Object.keys(config.options ?? {})].map((name) => `--${name}`);
    return { ok: false, prints: `${mistake}; there are ${names.sort().join(', ')}`, exitCode: 2 };
  }
}

/** Reads the command line of this process, and ends it where there is nothing to run: with 0 after `--help`, with 2 after a mistake. */
export function readFlags<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  const flags = parseFlags(usage, config, process.argv.slice(2));
  if (flags.ok) return flags.read;
  (flags.exitCode === 0 ? process.stdout : process.stderr).write(`${flags.prints}\n`);
  process.exit(flags.exitCode);
}

function listOf({ options = {} }: ParseArgsConfig): string {
  const lines = Object.entries(options).map(([name, option]) => {
    const value = option.type === 'string' ? ' VALUE' : '';
    const usual = [option.default ?? []].flat().join(',');
    const byDefault = option.type === 'string' && usual !== '' ? `, ${usual} by default` : '';
    return `\n  --${name}${value}${option.multiple === true ? ', any number of times' : ''}${byDefault}`;
  });
  return lines.length === 0 ? '' : `\n${lines.join('')}`;
}
