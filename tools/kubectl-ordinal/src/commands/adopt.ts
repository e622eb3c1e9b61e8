import { adoptAnnotation } from '@ordinal/reconcilers';
import type { StatefulSet } from '@ordinal/client';
import { persistentVolumeClaims, statefulSets } from '@ordinal/client';
import { stringify } from 'yaml';
import { adoptionOf } from '../adopt/manifest.ts';
import type { Connection } from '../cluster/connect.ts';
import { CommandError, exitCodes } from '../failure.ts';
import { kindNamed, shortNameOf } from '../kinds.ts';
import { print } from '../output.ts';
import type { World } from '../world.ts';
import type { Command, CommandContext, CommandLine, CommonArguments } from './command.ts';
import { connectedWith } from './command.ts';

const options = (line: CommandLine) =>
  line
    .positional('statefulset', {
      type: 'string',
      array: true,
      demandOption: true,
      describe: 'statefulset/NAME; or statefulset NAME',
    })
    .option('as', { type: 'string', requiresArg: true, default: 'ccache', describe: 'the kind: ccache, kvs or mss' })
    .option('container', {
      type: 'string',
      requiresArg: true,
      describe: 'with ccache and kvs: the container that runs the software; the first by default',
    })
    .option('monitor', { type: 'string', requiresArg: true, describe: 'with mss: the URL of its monitoring service' })
    .option('yes', { alias: 'y', type: 'boolean', default: false, describe: 'create it, with your consent' });

interface AdoptArguments extends CommonArguments {
  readonly statefulset: readonly string[];
  readonly as: string;
  readonly container?: string;
  readonly monitor?: string;
  readonly yes: boolean;
}

const names: readonly string[] = ['statefulset', 'statefulsets', 'statefulsets.apps', 'sts'];

/** Reads `statefulset/NAME`, or `statefulset` and `NAME`. */
function nameIn(words: readonly string[]): string {
  const [kind = '', name = '', ...more] = words.flatMap((word) => word.split('/'));
  if (names.includes(kind.toLowerCase()) && name !== '' && more.length === 0) return name;
  throw new CommandError(`name a StatefulSet as statefulset/NAME, and not "${words.join(' ')}"`, exitCodes.usage);
}

/** The storage class that the claims of a StatefulSet have: its claim template may leave that to the cluster. */
async function classOf({ metadata, spec }: StatefulSet, client: Connection['client']): Promise<string | undefined> {
  const [template] = spec.volumeClaimTemplates ?? [];
  if (!template) return undefined;
  const claim = `${template.metadata?.name ?? ''}-${metadata.name}-${spec.ordinals?.start ?? 0}`;
  const found = await client(persistentVolumeClaims)
    .namespace(metadata.namespace ?? '')
    .find(claim);
  return found?.spec?.storageClassName;
}

async function perform(given: AdoptArguments, { client, namespace }: Connection, world: World): Promise<number> {
  const { err } = world;
  const name = nameIn(given.statefulset);
  const as = kindNamed(given.as);
  const set = await client(statefulSets).namespace(namespace).get(name);
  const className = await classOf(set, client);
  const adoption = adoptionOf(set, { as, container: given.container, monitor: given.monitor, className });
  if ('refuses' in adoption)
    throw new CommandError(
      `StatefulSet ${namespace}/${name} is not taken over: ${adoption.refuses}`,
      exitCodes.nothingDone,
    );
  const { manifest, notes } = adoption;
  const lines = () => [stringify(manifest).trimEnd()];
  print(world, given.output, { data: manifest, lines });
  for (const note of notes) err(`# ${note}\n`);
  if (!given.yes) {
    err('# Nothing was written. Apply it, and consent when its condition Adopted asks you to; or give --yes.\n');
    return exitCodes.done;
  }
  const annotations = { [adoptAnnotation]: set.metadata.uid };
  const created = { ...manifest, metadata: { ...manifest.metadata, annotations } };
  await client(as).namespace(namespace).create(created, { fieldValidation: 'Strict' });
  err(`# created, with your consent; kubectl ordinal status ${shortNameOf(as)}/${name} -n ${namespace} shows it\n`);
  return exitCodes.done;
}

function add(line: CommandLine, context: CommandContext): CommandLine {
  return line.command(
    'adopt <statefulset..>',
    'write the manifest that takes over a StatefulSet as it runs',
    options,
    connectedWith(context, perform),
  );
}

/** `adopt statefulset/NAME`: the manifest of what runs, and with `--yes` its creation. */
export const adopt: Command = { name: 'adopt', options, add };
