import type { Connection } from '../cluster/connect.ts';
import { readResource } from '../cluster/read.ts';
import { CommandError, exitCodes } from '../failure.ts';
import type { OrdinalResource } from '../kinds.ts';
import { parseReference } from '../kinds.ts';
import { print } from '../output.ts';
import { asApplied, resourcesIn } from '../plan/file.ts';
import type { Plan } from '../plan/plan.ts';
import { planFor } from '../plan/plan.ts';
import { renderPlan } from '../plan/render.ts';
import type { World } from '../world.ts';
import type { Command, CommandContext, CommandLine } from './command.ts';
import { connected, referenceOption } from './command.ts';

const options = (line: CommandLine) =>
  line.positional('resource', referenceOption).option('filename', {
    alias: 'f',
    type: 'string',
    requiresArg: true,
    describe: 'manifests to plan for as if they were applied; - for standard input',
  });

interface Wanted {
  readonly resource?: readonly string[] | undefined;
  readonly filename?: string | undefined;
}

/** The resources that a plan is asked for. */
async function resourcesFor(
  { resource: words = [], filename }: Wanted,
  connection: Connection,
  world: World,
): Promise<readonly OrdinalResource[]> {
  if (words.length > 0 === (filename !== undefined))
    throw new CommandError('name one resource as KIND/NAME, or give manifests with -f', exitCodes.usage);
  if (filename === undefined) return [await readResource(parseReference(words), connection)];
  const objects = resourcesIn(await world.readFile(filename));
  return Promise.all(objects.map((object) => asApplied(object, { ...connection, clock: world.clock })));
}

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
