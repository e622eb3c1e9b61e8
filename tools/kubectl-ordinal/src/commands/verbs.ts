import type { Argv } from 'yargs';
import type { Connection } from '../cluster/connect.ts';
import { readAround } from '../cluster/read.ts';
import { surroundingsOf } from '../cluster/surroundings.ts';
import { CommandError, exitCodes } from '../failure.ts';
import type { OrdinalResource } from '../kinds.ts';
import { descriptorOf, parseReference, shortNameOf } from '../kinds.ts';
import { print } from '../output.ts';
import { backup, restore } from '../verbs/backup.ts';
import type { Decide } from '../verbs/intent.ts';
import { seenBy } from '../verbs/intent.ts';
import { abort, override, promote } from '../verbs/upgrade.ts';
import { pause, resume, retry } from '../verbs/work.ts';
import { writeIntent } from '../verbs/write.ts';
import type { World } from '../world.ts';
import type { Command, CommandContext, CommandLine } from './command.ts';
import { connectedWith } from './command.ts';
import type { VerbArguments } from './confirmed.ts';
import { confirmed, verbLine } from './confirmed.ts';

const commandOf = ({ kind, metadata }: OrdinalResource): string =>
  `${shortNameOf(descriptorOf({ kind } as OrdinalResource))}/${metadata.name} -n ${metadata.namespace ?? 'default'}`;

async function perform<Options extends object>(
  { name, decide }: Pick<Verb<Options>, 'name' | 'decide'>,
  given: VerbArguments & Options,
  { connection, world }: { readonly connection: Connection; readonly world: World },
): Promise<number> {
  const { resource, contents } = await readAround(parseReference(given.resource), connection);
  const intent = decide(seenBy(surroundingsOf(resource, contents), given, world.clock.now()));
  const about = `${resource.kind} ${connection.namespace}/${resource.metadata.name}`;
  const of = { verb: name, kind: resource.kind, namespace: connection.namespace, name: resource.metadata.name };
  if ('refuses' in intent) {
    const { refuses, isUsage } = intent;
    if (isUsage) throw new CommandError(`${name}: ${refuses}`, exitCodes.usage);
    print(world, given.output, { data: { ...of, refuses }, lines: () => [] });
    throw new CommandError(`${name} would do nothing for ${about}: ${refuses}`, exitCodes.nothingDone);
  }
  await confirmed(`${about}: this ${intent.does}.`, given.yes, world);
  await writeIntent(intent, resource, connection);
  print(world, given.output, {
    data: { ...of, ...intent },
    lines: () => [`done; kubectl ordinal status ${commandOf(resource)} shows what becomes of it`],
  });
  return exitCodes.done;
}

/** A verb: what it is called, what it does, and what it takes beside a resource. */
interface Verb<Options extends object> {
  readonly name: string;
  /** Another name for it. */
  readonly alias?: string;
  readonly describe: string;
  readonly decide: Decide<Options>;
  readonly options: (line: CommandLine) => Argv<VerbArguments & Options>;
}

function verb<Options extends object>({ name, alias, describe, decide, options }: Verb<Options>): Command {
  const add = (line: CommandLine, context: CommandContext): CommandLine => {
    const handler = connectedWith<VerbArguments & Options>(context, (given, connection, world) =>
      perform({ name, decide }, given, { connection, world }),
    );
    const names = [`${name} <resource..>`, ...(alias === undefined ? [] : [alias])];
    return line.command(names, describe, options, handler);
  };
  return { name, alias, options, add };
}

/** The verbs: what is an annotation, or a field, for those who write manifests. */
export const verbs: readonly Command[] = [
  verb({
    name: 'promote',
    describe: 'let the others follow a canary that waits for you',
    decide: promote,
    options: verbLine,
  }),
  verb({ name: 'abort', describe: 'end an upgrade', decide: abort, options: verbLine }),
  verb({ name: 'retry', describe: 'try again what has failed', decide: retry, options: verbLine }),
  verb({
    name: 'pause',
    describe: 'stop all work on a resource, save its deletion',
    decide: pause,
    options: (line) =>
      verbLine(line).option('upgrade', {
        type: 'boolean',
        default: false,
        describe: 'only upgrades, before their next member',
      }),
  }),
  verb({ name: 'resume', describe: 'go on after a pause', decide: resume, options: verbLine }),
  verb({
    name: 'override',
    alias: 'release',
    describe: 'open the gates of the member that an upgrade waits for, once',
    decide: override,
    options: (line) =>
      verbLine(line).option('member', {
        type: 'string',
        requiresArg: true,
        describe: 'another member, such as one that a drain waits for',
      }),
  }),
  verb({
    name: 'backup',
    describe: 'make a backup now',
    decide: backup,
    options: (line) =>
      verbLine(line).option('name', {
        type: 'string',
        requiresArg: true,
        describe: 'what it is called; after the time by default',
      }),
  }),
  verb({
    name: 'restore',
    describe: 'restore a backup: into a new cluster, as a drill, or over volumes',
    decide: restore,
    options: (line) =>
      verbLine(line)
        .option('to', { type: 'string', requiresArg: true, describe: 'the name of the new cluster' })
        .option('backup', {
          type: 'string',
          requiresArg: true,
          describe: 'with --to: which one; the newest that succeeded by default',
        })
        .option('drill', {
          type: 'boolean',
          default: false,
          describe: 'into a scratch cluster, which is checked and deleted',
        })
        .option('name', { type: 'string', requiresArg: true, describe: 'with --drill: what it is called' })
        .option('over', {
          type: 'boolean',
          default: false,
          describe: 'let restoreFrom write over volumes that hold data',
        }),
  }),
];
