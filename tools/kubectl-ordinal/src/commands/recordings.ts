import { CommandError, exitCodes } from '../failure.ts';
import { parseReference } from '../kinds.ts';
import { print } from '../output.ts';
import { historyOf, renderHistory } from '../recording/history.ts';
import { loadRecording, readKey } from '../recording/load.ts';
import type { Recording } from '../recording/load.ts';
import { renderReplay } from '../replay/render.ts';
import { replay as replayed } from '../replay/replay.ts';
import { version } from '../version.ts';
import type { World } from '../world.ts';
import type { Command, CommandContext, CommandLine } from './command.ts';
import { referenceOption } from './command.ts';

const keyOption = {
  type: 'string',
  requiresArg: true,
  describe: 'the file that --record-key of the operator names: opens what is hidden in the recording',
} as const;

const read = async (file: string, keyFile: string | undefined, world: World) => {
  const key = keyFile === undefined ? undefined : await readKey(keyFile, world);
  const recording: Recording = await loadRecording(await world.readBytes(file), key);
  if (recording.isCutOff) world.err(`the end of ${file} is missing: the operator was ended while it wrote\n`);
  return { recording, key };
};

const historyOptions = (line: CommandLine) =>
  line
    .positional('resource', referenceOption)
    .option('recording', {
      alias: 'f',
      type: 'string',
      requiresArg: true,
      demandOption: true,
      describe: 'a recording of the operator (its option --record)',
    })
    .option('key', keyOption)
    .option('all', { type: 'boolean', default: false, describe: 'also reconciles in which nothing was to be done' });

function addHistory(line: CommandLine, { world, ends }: CommandContext): CommandLine {
  return line.command(
    'history [resource..]',
    'say what the operator has seen, decided and done with a resource, from a recording; no cluster is asked',
    historyOptions,
    async (given) => {
      const { recording } = await read(given.recording, given.key, world);
      const { namespace = 'default', all } = given;
      const history = historyOf(recording, parseReference(given.resource ?? []), { namespace, all });
      print(world, given.output, { data: history, lines: () => renderHistory(history) });
      ends(exitCodes.done);
    },
  );
}

/** `history KIND/NAME --recording FILE`: what was observed, decided and done, reconcile by reconcile. */
export const history: Command = { name: 'history', options: historyOptions, add: addHistory };

const replayOptions = (line: CommandLine) =>
  line.positional('file', { type: 'string', describe: 'a recording of the operator' }).option('key', keyOption);

function addReplay(line: CommandLine, { world, ends }: CommandContext): CommandLine {
  return line.command(
    'replay <file>',
    'decide again what is recorded, by this version: the same, or the first difference; no cluster is asked',
    replayOptions,
    async (given) => {
      if (given.file === undefined) throw new CommandError('name a recording', exitCodes.usage);
      const { recording, key } = await read(given.file, given.key, world);
      const result = await replayed(recording, { key });
      const data = { recorded: recording.version, version, ...result };
      print(world, given.output, { data, lines: () => renderReplay(result, recording.version, version) });
      ends(result.changed.length > 0 ? exitCodes.waits : exitCodes.done);
    },
  );
}

/** `replay FILE`: the decisions of this version, on what was observed then. */
export const replay: Command = { name: 'replay', options: replayOptions, add: addReplay };
