import { CommandError, exitCodes } from '../failure.ts';
import type { World } from '../world.ts';
import { programIn } from './program-in.ts';

/** This plugin in another version, which decides as the operator of that version does. */
export interface OtherVersion {
  readonly version: string;
  /** Runs a command of it, and resolves to what it prints as data. Rejects with a `CommandError` that has its words where it fails. */
  readonly ask: (args: readonly string[], input?: string) => Promise<unknown>;
}

/**
 * Opens a version of the plugin that is in a file: its program, or the npm package with the program. It runs as a process of its own, with the user's environment.
 *
 * @throws CommandError where the file has no such program.
 */
export async function otherVersion(file: string, { readBytes, runProgram }: World): Promise<OtherVersion> {
  const program = await programIn(await readBytes(file), file);
  const run = async (args: readonly string[], input?: string): Promise<string> => {
    const { exitCode, out, err } = await runProgram(program, args, input);
    if (exitCode === exitCodes.done || exitCode === exitCodes.waits) return out;
    throw new CommandError(`${file} fails: ${err.trim()}`);
  };
  const version = (await run(['--version'])).trim();
  return {
    version,
    ask: async (args, input) => JSON.parse(await run([...args, '--output', 'json'], input)) as unknown,
  };
}
