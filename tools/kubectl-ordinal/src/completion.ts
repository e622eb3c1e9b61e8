import { connect } from './cluster/connect.ts';
import yargs from 'yargs';
import { commandLine, commands } from './command-line.ts';
import type { CommandContext } from './commands/command.ts';
import { commonOptions } from './commands/command.ts';
import { kindNamed, namesOf, ordinalKinds, shortNameOf } from './kinds.ts';

/** What kubectl does with the words: it adds no files to them, and after a slash no space. */
const directives = { noFiles: 4, noSpaceNoFiles: 6 } as const;

const flagValue = (args: readonly string[], ...names: readonly string[]): string | undefined => {
  for (const [index, arg] of args.entries()) {
    const [name = '', value] = arg.split('=', 2);
    if (names.includes(name)) return value ?? args[index + 1];
  }
  return undefined;
};

/** The names of the resources of a kind, as far as the user may list them. */
async function namesIn(kind: string, args: readonly string[], { world }: CommandContext): Promise<readonly string[]> {
  const given = {
    namespace: flagValue(args, '-n', '--namespace'),
    context: flagValue(args, '--context'),
    kubeconfig: flagValue(args, '--kubeconfig'),
  };
  const { client, namespace } = await connect(given, world.environment);
  try {
    const { items } = await client(kindNamed(kind)).namespace(namespace).list({ timeoutMs: 3_000 });
    return items.map(({ metadata }) => metadata.name);
  } finally {
    await client.close();
  }
}

async function references(word: string, args: readonly string[], context: CommandContext): Promise<readonly string[]> {
  const [kind = '', rest] = word.split('/', 2);
  if (rest === undefined)
    return ordinalKinds.map((each) => `${shortNameOf(each)}/`).filter((each) => each.startsWith(word));
  if (!ordinalKinds.some((each) => namesOf(each).includes(kind))) return [];
  const names = await namesIn(kind, args, context).catch(() => []);
  return names.map((name) => `${kind}/${name}`).filter((each) => each.startsWith(word));
}

/** Commands and flags, as the library knows them. */
async function words(args: readonly string[], context: CommandContext): Promise<readonly string[]> {
  const [name = '', ...rest] = args;
  const word = args.at(-1) ?? '';
  const command = rest.length === 0 ? undefined : commands.find((each) => each.name === name);
  const line = command ? command.options(yargs([]).options(commonOptions)) : commandLine([], context);
  const found: readonly string[] = await line.getCompletion(command ? [word] : [...args]);
  const typed = found.map((each) => each.split(':', 1)[0] ?? '');
  // Flags of one letter have one dash.
  return typed.filter((each) => each.startsWith(word) && !/^--.$/.test(each));
}

/** What may be typed next, as kubectl asks a plugin for it: a word in each line, and a directive in the last. The last of `args` is what was begun. */
export async function completions(args: readonly string[], context: CommandContext): Promise<string> {
  const word = args.at(-1) ?? '';
  const isReference = args.length > 1 && !word.startsWith('-');
  const found = isReference ? await references(word, args, context) : await words(args, context);
  const directive = isReference && !word.includes('/') ? directives.noSpaceNoFiles : directives.noFiles;
  return `${[...found, `:${directive}`].join('\n')}\n`;
}
