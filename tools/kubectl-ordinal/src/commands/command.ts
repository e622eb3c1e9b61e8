import type { Argv, InferredOptionTypes } from 'yargs';
import type { Connection } from '../cluster/connect.ts';
import { connect } from '../cluster/connect.ts';
import { outputs } from '../output.ts';
import type { World } from '../world.ts';

/** What every command takes, as kubectl does. */
export const commonOptions = {
  namespace: {
    alias: 'n',
    type: 'string',
    requiresArg: true,
    describe: 'the namespace; that of the context by default',
  },
  context: { type: 'string', requiresArg: true, describe: 'the context of the kubeconfig to use' },
  kubeconfig: { type: 'string', requiresArg: true, describe: 'the kubeconfig to use' },
  output: { alias: 'o', choices: outputs, default: 'text', describe: 'how the result is printed' },
} as const;

/** What every command gets. */
export type CommonArguments = InferredOptionTypes<typeof commonOptions>;

/** Runs a command and resolves to the exit code. */
export type Handler<Arguments> = (given: Arguments, connection: Connection) => Promise<number>;

/** What a command is defined with. */
export interface CommandContext {
  readonly world: World;
  /** Takes the exit code of the command that was run. */
  readonly ends: (exitCode: number) => void;
}

/** Connects, runs a command, and closes the connection. */
export function connected<Arguments extends CommonArguments>(
  { world, ends }: CommandContext,
  handler: Handler<Arguments>,
) {
  return async (given: Arguments): Promise<void> => {
    const connection = await connect(given, world.environment);
    try {
      ends(await handler(given, connection));
    } finally {
      await connection.client.close();
    }
  };
}

/** The same for a command whose arguments have names in camel case beside: the library adds those to what it has read, which no type parameter can say. */
export function connectedWith<Arguments extends CommonArguments>(
  context: CommandContext,
  perform: (given: Arguments, connection: Connection, world: World) => Promise<number>,
) {
  const handler = connected<Arguments>(context, (given, connection) => perform(given, connection, context.world));
  return (given: object): Promise<void> => handler(given as unknown as Arguments);
}

/** The command line, with what every command takes. */
export type CommandLine = Argv<CommonArguments>;

/** The words that name one resource. */
export const referenceOption = {
  type: 'string',
  array: true,
  describe: 'KIND/NAME, such as kvs/orders; or KIND NAME',
} as const;

/** A command. */
export interface Command {
  readonly name: string;
  /** Another name for it. */
  readonly alias?: string | undefined;
  /** Adds what the command takes: for what may be typed next. */
  readonly options: (line: CommandLine) => Pick<Argv, 'getCompletion'>;
  /** Adds the command. */
  readonly add: (line: CommandLine, context: CommandContext) => CommandLine;
}
