import { namespaceFor } from '../cluster/connect.ts';
import { CommandError, exitCodes } from '../failure.ts';
import { parseReference } from '../kinds.ts';
import { otherVersion } from '../other-version/other-version.ts';
import { print } from '../output.ts';
import { historyOf, renderHistory } from '../recording/history.ts';
import { loadRecording, readKey } from '../recording/load.ts';
import type { Recording } from '../recording/load.ts';
import { renderReplay } from '../replay/render.ts';
import type { Replay } from '../replay/replay.ts';
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

interface RecordingFile {
  readonly file: string;
  readonly key?: string | undefined;
  readonly opensDecisions?: boolean;
}

const read = async ({ file, key: keyFile, opensDecisions }: RecordingFile, world: World) => {
  const key = keyFile === undefined ? undefined : await readKey(keyFile, world);
  const recording: Recording = await loadRecording(await world.readBytes(file), { key, opensDecisions });
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
      const { recording: file, key, all } = given;
      const { recording } = await read({ file, key, opensDecisions: true }, world);
      const namespace = await namespaceFor(given, world.environment);
      const history = historyOf(recording, parseReference(given.resource ?? []), { namespace, all });
      print(world, given.output, { data: history, lines: () => renderHistory(history) });
      ends(exitCodes.done);
    },
  );
}

/** `history KIND/NAME --recording FILE`: what was observed, decided and done, reconcile by reconcile. */
export const history: Command = { name: 'history', options: historyOptions, add: addHistory };

const replayOptions = (line: CommandLine) =>
  line
    .positional('file', { type: 'string', describe: 'a recording of the operator' })
    .option('key', keyOption)
    .option('against', {
      type: 'string',
      requiresArg: true,
      describe: 'this plugin in another version (kubectl-ordinal.mjs, or its npm package), which decides instead',
    });

/** What a version of this program prints of a replay. */
interface PrintedReplay extends Replay {
  readonly recorded: string;
  readonly version: string;
}

async function replayedBy(
  bundle: string,
  { file, key }: { readonly file: string; readonly key?: string | undefined },
  world: World,
): Promise<PrintedReplay> {
  const other = await otherVersion(bundle, world);
  const answer = await other.ask(['replay', file, ...(key === undefined ? [] : ['--key', key])]);
  return answer as PrintedReplay; // Of the same command.
}

async function replayedHere(of: RecordingFile, world: World): Promise<PrintedReplay> {
  const { recording, key } = await read(of, world);
  return { recorded: recording.version, version, ...(await replayed(recording, { key })) };
}

function addReplay(line: CommandLine, { world, ends }: CommandContext): CommandLine {
  return line.command(
    'replay <file>',
    'decide again what is recorded, by this version or another one: the same, or what differs; no cluster is asked',
    replayOptions,
    async (given) => {
      if (given.file === undefined) throw new CommandError('name a recording', exitCodes.usage);
      const { file, key, against } = given;
      const result =
        against === undefined
          ? await replayedHere({ file, key }, world)
          : await replayedBy(against, { file, key }, world);
      print(world, given.output, { data: result, lines: () => renderReplay(result, result.recorded, result.version) });
      ends(result.changed.length > 0 ? exitCodes.waits : exitCodes.done);
    },
  );
}

/** `replay FILE`: the decisions of this version, on what was observed then; with `--against` those of another version. */
export const replay: Command = { name: 'replay', options: replayOptions, add: addReplay };
