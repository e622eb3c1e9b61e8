import { commandLine } from './command-line.ts';
import { completions } from './completion.ts';
import { exitCodes, sayingOf } from './failure.ts';
import { readable } from './terminal/readable.ts';
import type { World } from './world.ts';

/** Runs one command line, and resolves to the exit code. Never rejects: what fails is said on `err`. */
export async function run(args: readonly string[], world: World): Promise<number> {
  let exitCode: number = exitCodes.done;
  const context = { world, ends: (code: number) => void (exitCode = code) };
  try {
    if (args[0] === '__complete') {
      world.out(await completions(args.slice(1), context));
      return exitCode;
    }
    await commandLine(args, context).parseAsync([...args], {}, (error, _, output) => {
      if (output !== '' && !error) world.out(`${output}\n`);
    });
    return exitCode;
  } catch (error) {
    const { message, exitCode: code } = sayingOf(error);
    world.err(`kubectl ordinal: ${readable(message)}\n`);
    return code;
  }
}
