import { exitCodes } from '../failure.ts';
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
    'members-behave': {
      type: 'string',
      requiresArg: true,
      describe: 'a file that says what members, gates and Jobs do',
    },
  });

function add(line: CommandLine, context: CommandContext): CommandLine {
  const { world } = context;
  return line.command(
    'what-if [resource..]',
    'play a change to its end in a simulated cluster; nothing is written',
    options,
    connected(context, async (given, connection) => {
      const wanted = await resourcesFor(given, connection, world);
      // The simulated cluster is loaded by this command alone: others need not wait for it.
      const { predict, renderPrediction, behaviourIn } = await import('../what-if/index.ts');
      const file = given['members-behave'];
      const behaviour = behaviourIn(file === undefined ? '' : await world.readFile(file));
      const prediction = await predict({ wanted, behaviour, seed: 1 }, connection.client, world.clock);
      print(world, given.output, { data: prediction, lines: () => renderPrediction(prediction) });
      return prediction.ending === 'done' ? exitCodes.done : exitCodes.waits;
    }),
  );
}

/** `what-if -f FILE` or `what-if KIND/NAME`: what would become of a change. */
export const whatIf: Command = { name: 'what-if', options, add };
