import { exitCodes } from '../failure.ts';
import { print } from '../output.ts';
import type { Plan } from '../plan/plan.ts';
import { planFor } from '../plan/plan.ts';
import { renderPlan } from '../plan/render.ts';
import type { Command, CommandContext, CommandLine } from './command.ts';
import { connected, referenceOption } from './command.ts';
import { resourcesFor } from './resources-for.ts';

const options = (line: CommandLine) =>
  line.positional('resource', referenceOption).option('filename', {
    alias: 'f',
    type: 'string',
    requiresArg: true,
    describe: 'manifests to plan for as if they were applied; - for standard input',
  });

function add(line: CommandLine, context: CommandContext): CommandLine {
  const { world } = context;
  return line.command(
    'plan [resource..]',
    'say what the operator would do next, and why; nothing is written',
    options,
    connected(context, async (given, connection) => {
      const plans: Plan[] = [];
      for (const resource of await resourcesFor(given, connection, world))
        plans.push(await planFor(resource, { transport: connection.transport, clock: world.clock }));
      const data = given.filename === undefined ? plans[0] : plans;
      print(world, given.output, { data, lines: () => plans.flatMap(renderPlan) });
      return exitCodes.done;
    }),
  );
}

/** `plan KIND/NAME` or `plan -f FILE`: the operator's own decisions, action by action. */
export const plan: Command = { name: 'plan', options, add };
