import { readAround } from '../cluster/read.ts';
import { surroundingsOf } from '../cluster/surroundings.ts';
import { exitCodes } from '../failure.ts';
import { parseReference } from '../kinds.ts';
import { print } from '../output.ts';
import { explain, paragraphOf } from '../why/explain.ts';
import type { Command, CommandContext, CommandLine } from './command.ts';
import { connected, referenceOption } from './command.ts';

const options = (line: CommandLine) => line.positional('resource', { ...referenceOption, demandOption: true });

function add(line: CommandLine, context: CommandContext): CommandLine {
  const { world } = context;
  return line.command(
    'why <resource..>',
    'say what a resource waits for, since when, and what releases it',
    options,
    connected(context, async (given, { client, namespace }) => {
      const { resource, contents } = await readAround(parseReference(given.resource), { client, namespace });
      const now = world.clock.now();
      const explanation = explain(surroundingsOf(resource, contents), now);
      print(world, given.output, { data: explanation, lines: () => [paragraphOf(explanation, now)] });
      return explanation.waits ? exitCodes.waits : exitCodes.done;
    }),
  );
}

/** `why KIND/NAME`: one paragraph about what it waits for. Exit code 4 where it waits for something. */
export const why: Command = { name: 'why', options, add };
