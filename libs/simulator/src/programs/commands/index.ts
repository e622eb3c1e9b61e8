import type { CommandTable } from '../shell/command.ts';
import { fileCommands } from './files.ts';
import { nameCommands } from './names.ts';
import { networkCommands } from './network.ts';
import { processCommands } from './process.ts';
import { textCommands } from './text.ts';

/** The commands that containers can run. */
export const commands: CommandTable = new Map(
  Object.entries({ ...textCommands, ...fileCommands, ...processCommands, ...networkCommands, ...nameCommands }),
);
