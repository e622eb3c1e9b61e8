import { CommandError, exitCodes } from '../failure.ts';
import { print } from '../output.ts';
import type { Command, CommandContext, CommandLine } from './command.ts';
import { connected, referenceOption } from './command.ts';
import { resourcesFor } from './resources-for.ts';

const options = (line: CommandLine) =>
  line.positional('resource', referenceOption).options({
    filename: {
      alias: 'f',
      type: 'string',
      requiresArg: true,
      describe: 'manifests to play as if they were applied; - for standard input',
    },
    delete: { type: 'boolean', default: false, describe: 'play a deletion instead of a change' },
    'members-behave': {
      type: 'string',
      requiresArg: true,
      describe: 'a file that says what members, gates and Jobs do',
    },
    faults: {
      type: 'number',
      requiresArg: true,
      describe: 'play it so many times more, each with another fault; 200 show much',
    },
    seed: { type: 'number', requiresArg: true, describe: 'of what is left to chance; 1 by default' },
    history: { type: 'number', requiresArg: true, describe: 'of the histories with faults, this one alone' },
  });

function wholeNumber(name: string, value: number | undefined): number | undefined {
  if (value !== undefined && !(Number.isInteger(value) && value >= 0))
    throw new CommandError(`--${name} has to be a whole number`, exitCodes.usage);
  return value;
}

interface FaultArguments {
  readonly faults?: number | undefined;
  readonly seed?: number | undefined;
  readonly history?: number | undefined;
}

/** What is asked about faults. Throws a `CommandError` for what makes no sense. */
function faultsOf(given: FaultArguments, defaultSeed: number) {
  const count = wholeNumber('faults', given.faults) ?? 0;
  const seed = wholeNumber('seed', given.seed) ?? defaultSeed;
  const history = wholeNumber('history', given.history);
  if (history !== undefined && (history < 1 || history > count))
    throw new CommandError('--history has to be one of those that --faults counts', exitCodes.usage);
  return count === 0 ? undefined : { count, seed, history };
}

function add(line: CommandLine, context: CommandContext): CommandLine {
  const { world } = context;
  return line.command(
    'what-if [resource..]',
    'play a change to its end in a simulated cluster; nothing is written',
    options,
    connected(context, async (given, connection) => {
      const wanted = await resourcesFor(given, connection, world);
      // The simulated cluster is loaded by this command alone: others need not wait for it.
      const { predict, renderPrediction, behaviourIn, defaultSeed } = await import('../what-if/index.ts');
      const file = given['members-behave'];
      const behaviour = behaviourIn(file === undefined ? '' : await world.readFile(file));
      const faults = faultsOf(given, defaultSeed);
      if (faults && world.isTerminal)
        world.err(`playing ${faults.history === undefined ? faults.count : 1} histories with faults\n`);
      const prediction = await predict(
        { wanted, deletes: given.delete, behaviour, faults },
        connection.client,
        world.clock,
      );
      if (faults && !prediction.faults)
        world.err('what does not come to its end without a fault is not played with any\n');
      print(world, given.output, { data: prediction, lines: () => renderPrediction(prediction) });
      const breaks = prediction.faults !== undefined && prediction.faults.keep < prediction.faults.played;
      return prediction.ending === 'done' && !breaks ? exitCodes.done : exitCodes.waits;
    }),
  );
}

/** `what-if -f FILE` or `what-if KIND/NAME`: what would become of a change, or of a deletion. */
export const whatIf: Command = { name: 'what-if', options, add };
