import type { ResourceDescriptor, StatefulSet } from '@ordinal/client';
import { controllerOf, podDisruptionBudgets, services, statefulSets } from '@ordinal/client';
import { releaseOf } from '../adopt/release.ts';
import type { Connection } from '../cluster/connect.ts';
import { pause } from '../cluster/live.ts';
import { readAround } from '../cluster/read.ts';
import { surroundingsOf } from '../cluster/surroundings.ts';
import { CommandError, exitCodes } from '../failure.ts';
import type { OrdinalResource } from '../kinds.ts';
import { descriptorOf, parseReference } from '../kinds.ts';
import { print } from '../output.ts';
import type { World } from '../world.ts';
import type { Command, CommandContext, CommandLine } from './command.ts';
import { connected } from './command.ts';
import type { VerbArguments } from './confirmed.ts';
import { confirmed, verbLine } from './confirmed.ts';

/** How often the program asks whether the resource is gone, in milliseconds. */
const lookMs = 500;
/** How long the operator has for that, in milliseconds. */
const patienceMs = 120_000;

/** What the operator has made beside the StatefulSet, as `Kind name`. */
async function madeFor({ metadata }: OrdinalResource, { client, namespace }: Connection): Promise<readonly string[]> {
  const kinds: readonly ResourceDescriptor[] = [services, podDisruptionBudgets];
  const lists = await Promise.all(kinds.map((kind) => client(kind).namespace(namespace).list()));
  return lists.flatMap(({ items }, index) =>
    items
      .filter((each) => controllerOf(each)?.uid === metadata.uid)
      .map((each) => `${kinds[index]?.kind ?? ''} ${each.metadata.name}`),
  );
}

/** Deletes the resource, and leaves all that it owns. Resolves when it is gone. */
async function deleteAlone(resource: OrdinalResource, { client, namespace }: Connection, world: World): Promise<void> {
  const { name, uid } = resource.metadata;
  const resources = client(descriptorOf(resource)).namespace(namespace);
  await resources.delete(name, { propagationPolicy: 'Orphan', preconditions: { uid } });
  const deadline = world.clock.now() + patienceMs;
  while (world.clock.now() < deadline && !world.interrupted.aborted) {
    if ((await resources.find(name))?.metadata.uid !== uid) return;
    await pause(lookMs, world.interrupted);
  }
  throw new CommandError(`${resource.kind} ${name} is still being deleted: kubectl ordinal why says what it waits for`);
}

/** The command that ends what was begun. */
const patchCommand = ({ metadata }: StatefulSet, namespace: string, spec: object): string =>
  `kubectl patch statefulset ${metadata.name} -n ${namespace} --type merge -p '${JSON.stringify({ spec })}'`;

async function perform(given: VerbArguments, connection: Connection, world: World): Promise<number> {
  const { client, namespace } = connection;
  const { resource, contents } = await readAround(parseReference(given.resource), connection);
  const { kind, metadata } = resource;
  const about = `${kind} ${namespace}/${metadata.name}`;
  const release = releaseOf(surroundingsOf(resource, contents));
  if ('refuses' in release)
    throw new CommandError(`${about} gives nothing back: ${release.refuses}`, exitCodes.nothingDone);
  const { set, updateStrategy } = release;
  const stays = await madeFor(resource, connection);
  const does = `this deletes it, and leaves StatefulSet ${set.metadata.name} with its pods and volumes as they run. Nothing restarts, and no gate protects them any more`;
  await confirmed(`${about}: ${does}.`, given.yes, world);
  const spec = { updateStrategy };
  try {
    await deleteAlone(resource, connection, world);
    const body = { metadata: { uid: set.metadata.uid }, spec };
    await client(statefulSets).namespace(namespace).patch(set.metadata.name, { type: 'merge', body });
  } catch (error) {
    world.err(`When ${about} is gone, this ends it: ${patchCommand(set, namespace, spec)}\n`);
    throw error;
  }
  print(world, given.output, {
    data: { verb: 'release-ownership', kind, namespace, name: metadata.name, statefulSet: set.metadata.name, stays },
    lines: () => [
      `done; StatefulSet ${set.metadata.name} runs, and no resource of Ordinal owns it`,
      ...stays.map((each) => `${each} stays: delete it when nothing uses it`),
    ],
  });
  return exitCodes.done;
}

function add(line: CommandLine, context: CommandContext): CommandLine {
  return line.command(
    'release-ownership <resource..>',
    'give a StatefulSet back, with its pods running',
    verbLine,
    (given) =>
      // The library adds names in camel case to what it has read, which no type parameter can say.
      connected<VerbArguments>(context, (read, connection) => perform(read, connection, context.world))(
        given as unknown as VerbArguments,
      ),
  );
}

/** `release-ownership KIND/NAME`: the way back from `adopt`. */
export const releaseOwnership: Command = { name: 'release-ownership', options: verbLine, add };
