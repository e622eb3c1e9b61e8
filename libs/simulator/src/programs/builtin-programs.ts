import type { Container } from 'kubernetes-types/core/v1.js';
import type { ContainerProcess, ImageProgram, SimulatedExit } from '../node/program.ts';
import type { Around, Server } from './agnhost.ts';
import { fileCommands } from './commands/files.ts';
import { networkCommands } from './commands/network.ts';
import { processCommands } from './commands/process.ts';
import { textCommands } from './commands/text.ts';
import { fileSystemOf } from './file-system.ts';
import type { FileSystem } from './file-system.ts';
import type { KnownImage } from './images.ts';
import { knownImage } from './images.ts';
import type { CommandTable } from './shell/command.ts';
import { baseName } from './shell/command.ts';
import { parseScript } from './shell/parse.ts';
import { isShell, scriptOf, Shell } from './shell/shell.ts';
import { UnknownSyntax } from './shell/syntax.ts';
import { isKnown, unknownCommand } from './shell/understood.ts';

/** The commands that containers can run. */
const commands: CommandTable = new Map(
  Object.entries({ ...textCommands, ...fileCommands, ...processCommands, ...networkCommands }),
);

/** A shell and its commands, for images that nobody has described and that are not known. */
const unknownImage: KnownImage = { entrypoint: [], shell: true };

/**
 * What a container does, as far as its image or its command is known: small shell scripts with the commands of busybox, and the servers of a few
 * images. A container whose command is not understood as a whole is one of an image without a program: it runs, or is done after a second.
 */
export function builtinProgram(container: Container): ImageProgram {
  const known = programs.get(container) ?? programOf(container);
  programs.set(container, known);
  return known;
}

/** Containers are asked for again and again, and never change. */
const programs = new WeakMap<Container, ImageProgram>();

function programOf(container: Container): ImageProgram {
  const image = knownImage(container.image ?? '') ?? unknownImage;
  const command = commandOf(container, image);
  /** The command with its variables, as the kubelet puts them in. */
  const wordsOf = ({ command: given }: ContainerProcess): readonly string[] =>
    container.command?.length ? given : [...image.entrypoint, ...(given.length > 0 ? given : (image.arguments ?? []))];
  const filesOf = (process: ContainerProcess): FileSystem =>
    fileSystemOf(process, container.volumeMounts ?? [], image.files ?? {});
  const exec: ImageProgram = image.shell
    ? { exec: (words, process, stdin) => execute({ words, process, files: filesOf(process), stdin }) }
    : {};
  const server = image.server?.(command);
  if (server !== undefined) return { ...exec, ...serving(server, filesOf) };
  if (/^\/agnhost(-2)?$/.test(command[0] ?? '') && command[1] === 'entrypoint-tester')
    return { ...exec, run: (process) => printed(wordsOf(process), process) };
  if (!isUnderstood(command.map((word) => withoutVariables(word, container)))) return exec;
  const running = { ...exec, run: (process: ContainerProcess) => runMain(process, filesOf(process), wordsOf(process)) };
  return command.some((word) => /\btrap\b/.test(word)) ? { ...running, terminate: trapped } : running;
}

function commandOf({ command = [], args = [] }: Container, image: KnownImage): readonly string[] {
  if (command.length > 0) return [...command, ...args];
  return [...image.entrypoint, ...(args.length > 0 ? args : (image.arguments ?? []))];
}

/** `entrypoint-tester`: prints what it was started with. */
function printed(words: readonly string[], process: ContainerProcess): number {
  process.log(`[${words.join(' ')}]`);
  return 0;
}

/** A word with something in the place of each variable that the kubelet puts in, which looks like a command of the shell. */
const withoutVariables = (word: string, { env = [] }: Container): string =>
  word.replaceAll(/\$\(([^()\s]+)\)/g, (whole, name: string) =>
    env.some((each) => each.name === name) ? 'value' : whole,
  );

/** Whether each command that the container would run is known here. */
function isUnderstood([name = '', ...args]: readonly string[]): boolean {
  if (!isShell(baseName(name))) return isKnown(name, commands) && name !== '';
  const { script } = scriptOf(args, '');
  if (script === undefined) return false;
  try {
    return unknownCommand(parseScript(script), commands) === undefined;
  } catch (error) {
    if (error instanceof UnknownSyntax) return false;
    throw error;
  }
}

const shellKey = 'shell';
const exitKey = 'exit';

/** Lines of what is printed, as the container's log has them. */
function logger(process: ContainerProcess): { readonly write: (text: string) => void; readonly end: () => void } {
  let open = '';
  return {
    write(text) {
      const lines = (open + text).split('\n');
      open = lines.pop() ?? '';
      for (const line of lines) process.log(line);
    },
    end: () => {
      if (open !== '') process.log(open);
      open = '';
    },
  };
}

async function runMain(process: ContainerProcess, files: FileSystem, words: readonly string[]): Promise<number> {
  const log = logger(process);
  const streams = { stdin: '', out: log.write, err: log.write };
  const [name = '', ...args] = words;
  const shell = new Shell({ process, files, commands, signal: process.terminated });
  process.memory.set(shellKey, shell);
  try {
    if (!isShell(baseName(name))) return await shell.invoke(words, streams);
    // It was read before: what its variables make of it is no part of its syntax.
    const { script = '', parameters, endsOnError } = scriptOf(args, '');
    Object.assign(shell, { parameters, endsOnError });
    return await shell.run(parseScript(script), streams);
  } catch (error) {
    // What was waiting does so no more. When the process ends, and how, is not the script's to say.
    if (process.terminated.aborted) return await new Promise<never>(() => undefined);
    throw error;
  } finally {
    log.end();
  }
}

/** Does what the script has set for SIGTERM; the process ends after that. */
async function trapped(process: ContainerProcess): Promise<void> {
  const shell = process.memory.get(shellKey);
  const action = shell instanceof Shell ? shell.traps.get('TERM') : undefined;
  if (!(shell instanceof Shell) || action === undefined) return;
  const log = logger(process);
  const { files } = shell.options;
  await new Shell({ process, files, commands }, shell.variables).run(parseScript(action), {
    stdin: '',
    out: log.write,
    err: log.write,
  });
  log.end();
}

interface Executed {
  readonly words: readonly string[];
  readonly process: ContainerProcess;
  readonly files: FileSystem;
  readonly stdin: string;
}

/** Runs a command beside the container's process. */
async function execute({ words, process, files, stdin }: Executed): Promise<SimulatedExit> {
  const [name = ''] = words;
  if (!isKnown(name, commands)) return { exitCode: 126, stderr: `exec: "${name}": executable file not found in $PATH` };
  let stdout = '';
  let stderr = '';
  const shell = new Shell({ process, files, commands });
  try {
    const exitCode = await shell.invoke(words, {
      stdin,
      out: (text) => void (stdout += text),
      err: (text) => void (stderr += text),
    });
    return { exitCode, stdout, stderr };
  } catch (error) {
    if (error instanceof UnknownSyntax)
      return { exitCode: 2, stderr: `sh: the simulation can't read ${error.message}` };
    throw error;
  }
}

function serving({ http, begins }: Server, filesOf: (process: ContainerProcess) => FileSystem): ImageProgram {
  return {
    run: (process) =>
      new Promise((resolve) => {
        if (begins !== undefined) process.log(begins);
        process.memory.set(exitKey, resolve);
      }),
    http: (request, process) => http(request, process, aroundOf(process, filesOf(process))),
  };
}

function aroundOf(process: ContainerProcess, files: FileSystem): Around {
  return {
    files,
    async shell(script) {
      const {
        exitCode,
        stdout = '',
        stderr = '',
      } = await execute({ words: ['sh', '-c', script], process, files, stdin: '' });
      return { output: stdout + stderr, status: exitCode };
    },
    exit: (code) => (process.memory.get(exitKey) as ((code: number) => void) | undefined)?.(code), // Kept when it began.
  };
}
