import { randomBytes } from 'node:crypto';
import type { Transport } from '@ordinal/client';
import { createClient } from '@ordinal/client';
import { GateAsker } from '../checks/gate-asker.ts';
import type { Connection } from '../cluster/connect.ts';
import { fieldManager } from '../cluster/connect.ts';
import { LiveContents } from '../cluster/live.ts';
import { CommandError, exitCodes } from '../failure.ts';
import type { OrdinalResource } from '../kinds.ts';
import type { Output } from '../output.ts';
import { print } from '../output.ts';
import { version } from '../version.ts';
import type { World } from '../world.ts';
import type { ServerOptions } from '../console/server.ts';
import type { Command, CommandContext, CommandLine, CommonArguments } from './command.ts';
import { connected } from './command.ts';

const options = (line: CommandLine) =>
  line.options({
    'all-namespaces': { alias: 'A', type: 'boolean', default: false, describe: 'the resources of all namespaces' },
    write: { type: 'boolean', default: false, describe: 'let the page do what the verbs do, after asking' },
    history: {
      type: 'string',
      requiresArg: true,
      describe: 'a file of a recorded history to show, and no cluster',
    },
    port: { type: 'number', default: 0, requiresArg: true, describe: 'on the loopback address; 0: one that is free' },
  });

interface ConsoleArguments {
  readonly allNamespaces: boolean;
  readonly write: boolean;
  readonly port: number;
  readonly history?: string | undefined;
  readonly output: Output;
}

function untilInterrupted({ interrupted }: World): Promise<void> {
  return new Promise((resolve) => {
    if (interrupted.aborted) resolve();
    else interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Serves a page until the user ends it. */
async function serve(answer: ServerOptions['answer'], says: string, { port, output }: ConsoleArguments, world: World) {
  // The page and its server are loaded by this command alone.
  const [{ pageFiles }, { serveConsole }] = await Promise.all([
    import('../console/page.ts'),
    import('../console/server.ts'),
  ]);
  const token = randomBytes(32).toString('base64url');
  const server = await serveConsole({ port, token, page: await pageFiles(), answer });
  print(world, output, { data: { url: server.url }, lines: () => [server.url] });
  world.err(`Open this address. ${says} Ctrl-C ends it.\n`);
  try {
    await untilInterrupted(world);
  } finally {
    await server.close();
  }
}

async function showCluster(given: ConsoleArguments, connection: Connection, world: World): Promise<void> {
  const [{ allowedForPlan, allowedOnly }, { answersOf }] = await Promise.all([
    import('../console/allowed.ts'),
    import('../console/answers.ts'),
  ]);
  const { clock } = world;
  const transport = allowedOnly(connection.transport, given.write);
  const client = createClient({ transport, fieldManager, userAgent: `kubectl-ordinal/${version}` });
  const namespace = given.allNamespaces ? undefined : connection.namespace;
  const source = new LiveContents({ client, namespace }, world.interrupted);
  await source.start();
  const hello = { of: connection.url, namespace, version, canWrite: given.write };
  const gates = new GateAsker({ client, clock, signal: world.interrupted });
  const planning = (resource: OrdinalResource): Transport => allowedForPlan(connection.transport, resource);
  const reached = { connection: { ...connection, client, transport }, planning, source, gates };
  const answer = answersOf({ ...reached, clock, hello });
  const may = given.write
    ? 'The page may do what you may: --write was given.'
    : 'The page only reads; --write lets it act.';
  await serve(answer, `Anyone who has it sees what you may see. ${may}`, given, world);
}

async function showHistory(file: string, given: ConsoleArguments, world: World): Promise<void> {
  const [{ historyAnswers }, { historyIn }] = await Promise.all([
    import('../history/answers.ts'),
    import('../history/read.ts'),
  ]);
  const history = historyIn(await world.readFile(file));
  await serve(historyAnswers(history, file, version), 'It shows the history, and reaches no cluster.', given, world);
}

/** Throws a `CommandError` for what makes no sense. */
function checked({ port, write, history }: ConsoleArguments): void {
  const wrong = (why: string): CommandError => new CommandError(why, exitCodes.usage);
  if (!(Number.isInteger(port) && port >= 0 && port < 65_536)) throw wrong('--port has to be a port');
  if (history !== undefined && write) throw wrong('a recorded history is only looked at: leave --write out');
}

function add(line: CommandLine, context: CommandContext): CommandLine {
  const { world, ends } = context;
  const cluster = connected<ConsoleArguments & CommonArguments>(context, async (given, connection) => {
    await showCluster(given, connection, world);
    return exitCodes.done;
  });
  return line.command(
    'console',
    'serve a page on the loopback address, with your own permissions',
    options,
    async (given) => {
      checked(given);
      if (given.history === undefined) return cluster(given);
      await showHistory(given.history, given, world);
      ends(exitCodes.done);
    },
  );
}

/** `console [--write]`: a page of all resources, live. `console --history FILE`: of a history that was recorded. */
export const consoleCommand: Command = { name: 'console', options, add };
