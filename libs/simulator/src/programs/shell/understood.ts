import { builtins } from './builtins.ts';
import type { CommandTable } from './command.ts';
import { baseName } from './command.ts';
import { isShell } from './shell.ts';
import type { Command, Script, Word } from './syntax.ts';

/**
 * The first command of a script that there is none of here; undefined where all are known. A name that only its run shows counts as unknown. One of
 * which `isMissing` says that the script's image does not have it can be run: the shell does not find it.
 */
export function unknownCommand(
  script: Script,
  commands: CommandTable,
  isMissing: (name: string) => boolean = () => false,
): string | undefined {
  return unknownInScript(script, (name) => isKnown(name, commands) || isMissing(name));
}

type Runs = (name: string) => boolean;

function unknownInScript(script: Script, runs: Runs): string | undefined {
  return script.map(({ command }) => unknownIn(command, runs)).find((name) => name !== undefined);
}

function unknownIn(command: Command, runs: Runs): string | undefined {
  const inScripts = (...scripts: readonly Script[]): string | undefined =>
    scripts.map((script) => unknownInScript(script, runs)).find((name) => name !== undefined);
  const inCommands = (...each: readonly Command[]): string | undefined =>
    each.map((nested) => unknownIn(nested, runs)).find((name) => name !== undefined);
  switch (command.kind) {
    case 'simple':
      return nameOf(command.words, runs) ?? inScripts(...command.words.flatMap(scriptsIn));
    case 'pipe':
      return inCommands(...command.stages);
    case 'chain':
      return inCommands(command.first, ...command.rest.map((link) => link.command));
    case 'group':
      return inScripts(command.body);
    case 'if':
      return inScripts(...command.branches.flatMap(({ test, then }) => [test, then]), command.otherwise ?? []);
    case 'while':
      return inScripts(command.test, command.body);
    case 'for':
      return inScripts(command.body, ...command.words.flatMap(scriptsIn));
  }
}

const scriptsIn = (word: Word): readonly Script[] =>
  word.flatMap((part) => (part.kind === 'output' ? [part.script] : []));

function nameOf(words: readonly Word[], runs: Runs): string | undefined {
  const [first] = words;
  if (first === undefined) return undefined;
  const [only] = first;
  if (first.length !== 1 || only?.kind !== 'text') return 'a command that a variable names';
  return runs(only.text) ? undefined : only.text;
}

/** Whether a command of this name can be run. */
export function isKnown(name: string, commands: CommandTable): boolean {
  const base = baseName(name);
  return Object.hasOwn(builtins, name) || isShell(base) || commands.has(base);
}
