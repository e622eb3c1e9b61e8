import yargs from 'yargs';
import type { Command, CommandContext, CommandLine } from './commands/command.ts';
import { commonOptions } from './commands/command.ts';
import { adopt } from './commands/adopt.ts';
import { consoleCommand } from './commands/console.ts';
import { plan } from './commands/plan.ts';
import { releaseOwnership } from './commands/release-ownership.ts';
import { history, replay } from './commands/recordings.ts';
import { report } from './commands/report.ts';
import { status } from './commands/status.ts';
import { verbs } from './commands/verbs.ts';
import { whatIf } from './commands/what-if.ts';
import { why } from './commands/why.ts';
import { CommandError, exitCodes } from './failure.ts';
import { version } from './version.ts';

const epilogue = `Exit codes: 0 done; 1 the API server refuses, or there is no such object; 2 the command line is wrong;
3 a verb would do nothing, or was not confirmed; 4 of "why": it waits for something; of "what-if": it would stop or fail, or an invariant is broken under a fault; of "replay" and "plan --operator-bundle": a decision is another one.`;

/** All commands, in the order in which help shows them. */
export const commands: readonly Command[] = [
  status,
  why,
  plan,
  whatIf,
  ...verbs,
  adopt,
  releaseOwnership,
  history,
  replay,
  report,
  consoleCommand,
];

/** The whole command line. Each command leaves its exit code with `ends`. */
export function commandLine(args: readonly string[], context: CommandContext): CommandLine {
  const base = yargs([...args])
    .scriptName('kubectl ordinal')
    .usage('$0 COMMAND [KIND/NAME]')
    .options(commonOptions)
    .parserConfiguration({ 'parse-positional-numbers': false, 'parse-numbers': false })
    .version(version)
    .help()
    .alias('help', 'h')
    .strict()
    .demandCommand(1, 1, 'name a command, such as status')
    .recommendCommands()
    .wrap(Math.min(120, context.world.columns))
    .epilogue(epilogue)
    .exitProcess(false)
    .fail((message, error) => {
      throw (
        error ?? new CommandError(`${message.replace('non-option ', '')}; see kubectl ordinal --help`, exitCodes.usage)
      );
    }) as CommandLine;
  return commands.reduce((line, { add }) => add(line, context), base);
}
