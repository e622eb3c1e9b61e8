import yargs from 'yargs';
import { commandLine, commands } from './command-line.ts';
import type { CommandContext } from './commands/command.ts';
import { commonOptions } from './commands/command.ts';
import { optionValues, positionals } from './completion/values.ts';

/** What kubectl does with the words: in the shell's own way, where it completes files; it adds none; after a slash no space. */
const directives = { files: 0, noFiles: 4, noSpaceNoFiles: 6 } as const;

/** Commands and flags, as the library knows them. What may stand behind a flag with a fixed choice, too. */
async function words(args: readonly string[], context: CommandContext): Promise<readonly string[]> {
  const [name = ''] = args;
  const word = args.at(-1) ?? '';
  const command = args.length === 1 ? undefined : commands.find((each) => each.name === name || each.alias === name);
  const line = command ? command.options(yargs([]).options(commonOptions)) : commandLine([], context);
  const found: readonly string[] = await line.getCompletion(command ? args.slice(-2) : [...args]);
  const typed = found.map((each) => each.split(':', 1)[0] ?? '');
  // Flags of one letter have one dash.
  return typed.filter((each) => each.startsWith(word) && !/^--.$/.test(each));
}

interface Found {
  readonly words: readonly string[];
  readonly directive: number;
}

/** What may follow what was typed: a value of the flag before, a flag, a command, or what the command is about. */
async function following(args: readonly string[], context: CommandContext): Promise<Found> {
  const word = args.at(-1) ?? '';
  const { noFiles, noSpaceNoFiles, files } = directives;
  const [command = '', ...given] = args.slice(0, -1);
  const flag = optionValues(given.at(-1), command);
  if (flag === 'file') return { words: [], directive: files };
  if (flag === 'choice') return { words: await words(args, context), directive: noFiles };
  if (flag !== undefined) return { words: await flag(given, context), directive: noFiles };
  if (args.length === 1 || word.startsWith('-')) return { words: await words(args, context), directive: noFiles };
  const found = await positionals(command, args.slice(1), context);
  if (found === 'file') return { words: [], directive: files };
  return { words: found, directive: found.some((each) => each.endsWith('/')) ? noSpaceNoFiles : noFiles };
}

/** What may be typed next, as kubectl asks a plugin for it: a word in each line, and a directive in the last. The last of `args` is what was begun. */
export async function completions(args: readonly string[], context: CommandContext): Promise<string> {
  const { words: found, directive } = await following(args, context);
  const fitting = found.filter((each) => each.startsWith(args.at(-1) ?? ''));
  return `${[...fitting, `:${directive}`].join('\n')}\n`;
}
