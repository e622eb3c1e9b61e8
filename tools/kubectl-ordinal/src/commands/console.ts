import { randomBytes } from 'node:crypto';
import { createClient } from '@ordinal/client';
import type { Connection } from '../cluster/connect.ts';
import { fieldManager } from '../cluster/connect.ts';
import { LiveContents } from '../cluster/live.ts';
import { CommandError, exitCodes } from '../failure.ts';
import { version } from '../version.ts';
import type { World } from '../world.ts';
import type { Command, CommandContext, CommandLine } from './command.ts';
import { connected } from './command.ts';

const options = (line: CommandLine) =>
  line.options({
    'all-namespaces': { alias: 'A', type: 'boolean', default: false, describe: 'the resources of all namespaces' },
    write: { type: 'boolean', default: false, describe: 'let the page do what the verbs do, after asking' },
    port: { type: 'number', default: 0, requiresArg: true, describe: 'on the loopback address; 0: one that is free' },
  });

interface ConsoleArguments {
  readonly allNamespaces: boolean;
  readonly write: boolean;
  readonly port: number;
}

function untilInterrupted({ interrupted }: World): Promise<void> {
  return new Promise((resolve) => {
    if (interrupted.aborted) resolve();
    else interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function serve(given: ConsoleArguments, connection: Connection, world: World): Promise<void> {
  // The page and its server are loaded by this command alone.
  const [{ allowedOnly }, { answersOf }, { pageFiles }, { serveConsole }] = await Promise.all([
    import('../console/allowed.ts'),
    import('../console/answers.ts'),
    import('../console/page.ts'),
    import('../console/server.ts'),
  ]);
  const { clock } = world;
  const transport = allowedOnly(connection.transport, given.write);
  const client = createClient({ transport, fieldManager, userAgent: `kubectl-ordinal/${version}` });
  const namespace = given.allNamespaces ? undefined : connection.namespace;
  const source = new LiveContents({ client, namespace }, world.interrupted);
  const [page] = await Promise.all([pageFiles(), source.start()]);
  const hello = { of: connection.url, namespace, version, canWrite: given.write };
  const token = randomBytes(32).toString('base64url');
  const answer = answersOf({ connection: { ...connection, client, transport }, source, clock, hello });
  const server = await serveConsole({ port: given.port, token, page, answer });
  world.out(`${server.url}\n`);
  const may = given.write
    ? 'The page may do what you may: --write was given.'
    : 'The page only reads; --write lets it act.';
  world.err(`Open this address: anyone who has it sees what you may see. ${may} Ctrl-C ends it.\n`);
  try {
    await untilInterrupted(world);
  } finally {
    await server.close();
  }
}

function add(line: CommandLine, context: CommandContext): CommandLine {
  return line.command(
    'console',
    'serve a page on the loopback address, with your own permissions',
    options,
    connected(context, async (given, connection) => {
      if (given.output !== 'text') throw new CommandError('the console is a page: leave --output out', exitCodes.usage);
      if (!(Number.isInteger(given.port) && given.port >= 0 && given.port < 65_536))
        throw new CommandError('--port has to be a port', exitCodes.usage);
      await serve(given, connection, context.world);
      return exitCodes.done;
    }),
  );
}

/** `console [--write]`: a page of all resources, live. */
export const consoleCommand: Command = { name: 'console', options, add };
