import { readAround, readContents } from '../cluster/read.ts';
import { CommandError, exitCodes } from '../failure.ts';
import { parseReference } from '../kinds.ts';
import { print } from '../output.ts';
import { archiveOf } from '../report/archive.ts';
import { collectReport } from '../report/collect.ts';
import type { Command, CommandContext, CommandLine } from './command.ts';
import { connected, referenceOption } from './command.ts';

const options = (line: CommandLine) =>
  line
    .positional('resource', referenceOption)
    .option('file', { type: 'string', requiresArg: true, describe: 'where to; ordinal-report-TIME.tgz by default' })
    .option('operator-namespace', {
      type: 'string',
      requiresArg: true,
      default: 'ordinal-system',
      describe: 'where the operator runs',
    })
    .option('tail', { type: 'string', requiresArg: true, default: '1000', describe: 'how many lines of each log' });

function add(line: CommandLine, context: CommandContext): CommandLine {
  const { world } = context;
  return line.command(
    'report [resource..]',
    'write a support bundle without secrets: resources, events, logs, metrics, versions',
    options,
    connected(context, async (given, { client, namespace }) => {
      const tailLines = Number(given.tail);
      if (!Number.isInteger(tailLines) || tailLines < 1)
        throw new CommandError(`--tail is a number of lines, and not ${given.tail}`, exitCodes.usage);
      const words = given.resource ?? [];
      const around = words.length === 0 ? undefined : await readAround(parseReference(words), { client, namespace });
      const contents = around?.contents ?? (await readContents({ client, namespace }));
      const now = world.clock.now();
      const resources = around ? [around.resource] : contents.resources;
      const { operatorNamespace } = given;
      const files = await collectReport({ client, namespace, resources, contents, operatorNamespace, tailLines, now });
      const time = new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '');
      const file = given.file ?? `ordinal-report-${time}Z.tgz`;
      await world.writeFile(file, await archiveOf(files, now));
      const names = [...files.keys()].sort();
      const lines = () => [
        `${file}: ${names.length} files. Look through it before you give it away: what is redacted is known by its look`,
      ];
      print(world, given.output, { data: { file, files: names }, lines });
      return exitCodes.done;
    }),
  );
}

/** `report [KIND/NAME]`: a support bundle of a resource, or of all in the namespace. */
export const report: Command = { name: 'report', options, add };
