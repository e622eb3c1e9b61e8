import type { ResourceDescriptor, StatefulSet } from '@ordinal/client';
import { controllerOf, podDisruptionBudgets, services, statefulSets } from '@ordinal/client';
import type { Release } from '../adopt/release.ts';
import { releaseOf, replacedAtOnce } from '../adopt/release.ts';
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
import { connectedWith } from './command.ts';
import type { VerbArguments } from './confirmed.ts';
import { confirmed, verbLine } from './confirmed.ts';

/** How often the program asks whether the resource is gone, in milliseconds. */
const pollMs = 500;
/** How long the operator has for that, in milliseconds. */
const timeoutMs = 120_000;

/** What the operator has made beside the StatefulSet, as `Kind name`. */
async function madeBeside(
  { metadata }: OrdinalResource,
  { client, namespace }: Connection,
): Promise<readonly string[]> {
  const kinds: readonly ResourceDescriptor[] = [services, podDisruptionBudgets];
  const lists = await Promise.all(kinds.map((kind) => client(kind).namespace(namespace).list()));
  return lists.flatMap(({ items }, index) =>
    items
      .filter((each) => controllerOf(each)?.uid === metadata.uid)
      .map((each) => `${kinds[index]?.kind ?? ''} ${each.metadata.name}`),
  );
}

/** Deletes the resource as it was seen, and leaves all that it owns. Throws an `ApiError` (`Conflict`) where it has changed since, such as by an upgrade. */
async function deleteAlone(resource: OrdinalResource, { client, namespace }: Connection): Promise<void> {
  const { name, uid, resourceVersion } = resource.metadata;
  const options = { propagationPolicy: 'Orphan', preconditions: { uid, resourceVersion } } as const;
  await client(descriptorOf(resource)).namespace(namespace).delete(name, options);
}

/** Resolves when the resource is gone. */
async function awaitGone(resource: OrdinalResource, { client, namespace }: Connection, world: World): Promise<void> {
  const { name, uid } = resource.metadata;
  const resources = client(descriptorOf(resource)).namespace(namespace);
  const deadline = world.clock.now() + timeoutMs;
  while (world.clock.now() < deadline && !world.interrupted.aborted) {
    if ((await resources.find(name))?.metadata.uid !== uid) return;
    await pause(pollMs, world.interrupted);
  }
  throw new CommandError(`${resource.kind} ${name} is still being deleted: kubectl ordinal why says what it waits for`);
}

/** Gives the StatefulSet its update strategy back. Throws where its own controller would replace pods by that, or another client owns it by now. */
async function restoreStrategy({ set, updateStrategy }: Release, { client, namespace }: Connection): Promise<void> {
  const { name, uid } = set.metadata;
  const sets = client(statefulSets).namespace(namespace);
  const now = await sets.get(name);
  const why = controllerOf(now) ? `${controllerOf(now)?.name ?? ''} owns it now` : replacedAtOnce(now);
  if (why !== undefined) throw new CommandError(`StatefulSet ${name} keeps its update strategy: ${why}`);
  const { resourceVersion } = now.metadata;
  await sets.patch(name, { type: 'merge', body: { metadata: { uid, resourceVersion }, spec: { updateStrategy } } });
}

/** The command that ends what was begun. */
const patchCommand = ({ metadata }: StatefulSet, namespace: string, spec: object): string =>
  `kubectl patch statefulset ${metadata.name} -n ${namespace} --type merge -p '${JSON.stringify({ spec })}'`;

async function perform(given: VerbArguments, connection: Connection, world: World): Promise<number> {
  const { namespace } = connection;
  const { resource, contents } = await readAround(parseReference(given.resource), connection);
  const { kind, metadata } = resource;
  const about = `${kind} ${namespace}/${metadata.name}`;
  const release = releaseOf(surroundingsOf(resource, contents));
  if ('refuses' in release)
    throw new CommandError(`${about} gives nothing back: ${release.refuses}`, exitCodes.nothingDone);
  const { set, updateStrategy } = release;
  const stays = await madeBeside(resource, connection);
  const does = `this deletes it, and leaves StatefulSet ${set.metadata.name} with its pods and volumes as they run. Nothing restarts, and no gate protects them any more`;
  await confirmed(`${about}: ${does}.`, given.yes, world);
  const spec = { updateStrategy };
  await deleteAlone(resource, connection);
  try {
    await awaitGone(resource, connection, world);
    await restoreStrategy(release, connection);
  } catch (error) {
    world.err(
      `When ${about} is gone and all pods are as the template says, this ends it: ${patchCommand(set, namespace, spec)}\n`,
    );
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
    connectedWith(context, perform),
  );
}

/** `release-ownership KIND/NAME`: the way back from `adopt`. */
export const releaseOwnership: Command = { name: 'release-ownership', options: verbLine, add };
