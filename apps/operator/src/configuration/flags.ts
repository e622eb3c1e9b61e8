import { parseArgs } from 'node:util';
import type { Option, OptionTable } from './option.ts';
import { suggest } from './suggest.ts';

/** What was written for an option, and where. */
export interface Written {
  readonly text: string;
  readonly place: string;
}

/** A command line that has been read. */
export interface CommandLine {
  /** What is only printed. It comes before everything else that was asked for, and before all that is wrong. */
  readonly prints?: 'help' | 'version';
  /** What was written, by the option's name. */
  readonly values: ReadonlyMap<string, Written>;
  /** All that is wrong, in sentences that say what would be right. */
  readonly problems: readonly string[];
}

/**
 * Reads a command line, without the program, as `parseArgs` does. It is not strict there but here: `parseArgs` stops at the first mistake, and these
 * problems name them all.
 */
export function readFlags(table: OptionTable, args: readonly string[]): CommandLine {
  const byName = new Map(Object.values(table).map((option) => [option.name, option]));
  const { values: asked, tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: {
      ...Object.fromEntries([...byName.values()].map((option) => [option.name, { type: typeOf(option) }] as const)),
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  });
  const values = new Map<string, Written>();
  const problems: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(strayWord(token.value, args[token.index - 1] ?? '', byName));
    if (token.kind !== 'option' || token.name === 'help' || token.name === 'version') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = byName.get(name);
    if (option === undefined)
      problems.push(
        `${rawName} is not a flag of this program${suggest(name, [...byName.keys(), 'help', 'version'], '--')}`,
      );
    // The next flag is no value: that one of them lacks its value would else show as something quite different.
    else if (typeOf(option) === 'string' && (value === undefined || (!inlineValue && value.startsWith('--'))))
      problems.push(`--${name} needs a value: --${name} ${option.placeholder}`);
    else values.set(name, { text: value ?? 'true', place: `--${name}` });
  }
  const prints = asked['help'] !== undefined ? 'help' : asked['version'] !== undefined ? 'version' : undefined;
  return { ...(prints === undefined ? {} : { prints }), values, problems };
}

const typeOf = (option: Option<unknown>): 'string' | 'boolean' => (option.placeholder === '' ? 'boolean' : 'string');

/** What is wrong with a word that belongs to no flag: the value of a switch may have been written as one. */
function strayWord(word: string, before: string, byName: ReadonlyMap<string, Option<unknown>>): string {
  const isValueOfSwitch = byName.get(before.replace(/^--/, ''))?.placeholder === '';
  return `${word} is not a flag of this program${isValueOfSwitch ? `; did you mean ${before}=${word}?` : '; --help lists them'}`;
}
