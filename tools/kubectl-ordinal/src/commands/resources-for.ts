import type { Connection } from '../cluster/connect.ts';
import { readResource } from '../cluster/read.ts';
import { CommandError, exitCodes } from '../failure.ts';
import type { OrdinalResource } from '../kinds.ts';
import { parseReference } from '../kinds.ts';
import { asApplied, resourcesIn } from '../plan/file.ts';
import type { World } from '../world.ts';

/** What a command is asked about: one resource that is there, or manifests. */
interface Wanted {
  readonly resource?: readonly string[] | undefined;
  readonly filename?: string | undefined;
}

/** The resources that a command is asked about: as they are, or as they would be if the manifests were applied. */
export async function resourcesFor(
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
