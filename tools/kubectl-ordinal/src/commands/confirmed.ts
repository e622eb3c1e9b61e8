import { CommandError, exitCodes } from '../failure.ts';
import { readable } from '../terminal/readable.ts';
import type { World } from '../world.ts';
import type { CommandLine, CommonArguments } from './command.ts';
import { referenceOption } from './command.ts';

/** What every command that writes takes. */
export interface VerbArguments extends CommonArguments {
  readonly resource: readonly string[];
  readonly yes: boolean;
}

/** The options of a command that writes. */
export const verbLine = (line: CommandLine) =>
  line
    .positional('resource', { ...referenceOption, demandOption: true })
    .option('yes', { alias: 'y', type: 'boolean', default: false, describe: 'do it without being asked' });

/** Says what will be done, and asks. Throws where the answer is no, or there is no terminal to ask at. */
export async function confirmed(what: string, isSure: boolean, { err, confirm }: World): Promise<void> {
  err(`${readable(what)}\n`);
  if (isSure) return;
  const answer = await confirm('Go on?');
  if (answer === true) return;
  const why = answer === undefined ? 'there is no terminal to ask at: give --yes' : 'not confirmed';
  throw new CommandError(`${why}; nothing was written`, exitCodes.nothingDone);
}
