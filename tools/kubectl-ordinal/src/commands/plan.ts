import type { Clock } from '@ordinal/client';
import { instantOf } from '@ordinal/client';
import { CommandError, exitCodes } from '../failure.ts';
import { otherVersion } from '../other-version/other-version.ts';
import { print } from '../output.ts';
import type { ComparedPlan } from '../plan/compare.ts';
import { comparedPlans, renderCompared } from '../plan/compare.ts';
import type { Plan } from '../plan/plan.ts';
import { planFor } from '../plan/plan.ts';
import { renderPlan } from '../plan/render.ts';
import { shownPlan } from '../plan/shown.ts';
import type { World } from '../world.ts';
import type { Command, CommandContext, CommandLine, CommonArguments } from './command.ts';
import { connectedWith, referenceOption } from './command.ts';
import { resourcesFor } from './resources-for.ts';

const options = (line: CommandLine) =>
  line
    .positional('resource', referenceOption)
    .option('filename', {
      alias: 'f',
      type: 'string',
      requiresArg: true,
      describe: 'manifests to plan for as if they were applied; - for standard input',
    })
    .option('operator-bundle', {
      type: 'string',
      requiresArg: true,
      describe:
        'this plugin in another version (kubectl-ordinal.mjs, or its npm package): what the operator of that version would do',
    })
    .option('at', { type: 'string', requiresArg: true, describe: 'plan as if it were this time (RFC 3339)' });

interface PlanArguments extends CommonArguments {
  readonly resource?: readonly string[] | undefined;
  readonly filename?: string | undefined;
  readonly operatorBundle?: string | undefined;
  readonly at?: string | undefined;
}

/** When it is planned for, in milliseconds. Throws a `CommandError` for what is no time. */
function timeOf({ at }: PlanArguments, { clock }: World): number {
  const time = at === undefined ? clock.now() : instantOf(at);
  if (time === undefined)
    throw new CommandError(`--at ${at ?? ''}: that is no time as RFC 3339 writes it`, exitCodes.usage);
  return time;
}

/** The other version plans the same, at the same time, on what it reads itself. */
async function planOfOther(
  given: PlanArguments,
  { at, manifests }: { readonly at: number; readonly manifests: string | undefined },
  world: World,
): Promise<{ readonly version: string; readonly plans: readonly Plan[] }> {
  const { operatorBundle = '', resource = [], namespace, context, kubeconfig } = given;
  const other = await otherVersion(operatorBundle, world);
  const flags = Object.entries({ namespace, context, kubeconfig }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  const about = manifests === undefined ? resource : ['--filename', '-'];
  const answer = await other.ask(['plan', ...about, ...flags, '--at', new Date(at).toISOString()], manifests);
  return { version: other.version, plans: ([answer].flat() as readonly Plan[]).map(shownPlan) }; // Of the same command.
}

async function perform(
  given: PlanArguments,
  connection: Parameters<typeof resourcesFor>[1],
  world: World,
): Promise<number> {
  const at = timeOf(given, world);
  const manifests = given.filename === undefined ? undefined : await world.readFile(given.filename);
  const clock: Clock = { now: () => at, after: (ms, action) => world.clock.after(ms, action) };
  // What was read from the standard input can't be read again.
  const asRead = { ...world, clock, readFile: () => Promise.resolve(manifests ?? '') };
  const plans: Plan[] = [];
  for (const resource of await resourcesFor(given, connection, asRead))
    plans.push(shownPlan(await planFor(resource, { transport: connection.transport, clock })));
  const printed = <Printed extends Plan>(all: readonly Printed[], lines: (plan: Printed) => readonly string[]): void =>
    print(world, given.output, { data: manifests === undefined ? all[0] : all, lines: () => all.flatMap(lines) });
  if (given.operatorBundle === undefined) {
    printed(plans, renderPlan);
    return exitCodes.done;
  }
  const other = await planOfOther(given, { at, manifests }, world);
  const compared: readonly ComparedPlan[] = comparedPlans(plans, other.plans, other);
  printed(compared, renderCompared);
  return compared.some(({ other: { difference } }) => difference) ? exitCodes.waits : exitCodes.done;
}

function add(line: CommandLine, context: CommandContext): CommandLine {
  return line.command(
    'plan [resource..]',
    'say what the operator would do next, and why; nothing is written',
    options,
    connectedWith<PlanArguments>(context, perform),
  );
}

/** `plan KIND/NAME` or `plan -f FILE`: the operator's own decisions, action by action; with `--operator-bundle` beside those of another version. */
export const plan: Command = { name: 'plan', options, add };
