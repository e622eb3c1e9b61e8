import type { Container } from 'kubernetes-types/core/v1.js';
import { ConnectionRefused, portOf } from '../node/network.ts';
import type { ContainerProcess, ImageProgram } from '../node/program.ts';
import { rawMethod } from '../node/program.ts';
import { notHttp } from './server.ts';
import type { Around, Server, Start } from './server.ts';
import { commands } from './commands/index.ts';
import { fileSystemOf } from './file-system.ts';
import type { FileSystem } from './file-system.ts';
import type { KnownImage } from './images.ts';
import { isMissing, knownImage } from './images.ts';
import { execute, runMain, runTask, trapped } from './running.ts';
import { baseName } from './shell/command.ts';
import { parseScript } from './shell/parse.ts';
import { isShell, scriptOf } from './shell/shell.ts';
import { UnknownSyntax } from './shell/syntax.ts';
import { isKnown, unknownCommand } from './shell/understood.ts';

/** A shell and its commands, for images that have no description and are not known. */
const unknownImage: KnownImage = { entrypoint: [], shell: true };

/**
 * What a container does, as far as its image or its command is known: small shell scripts with the commands of busybox, and the servers of a few
 * images. A container whose command is not understood as a whole is one of an image without a program: it runs, or is done after a second, and
 * says that nothing of it is simulated.
 */
export function builtinProgram(container: Container): ImageProgram {
  const known = programs.get(container) ?? programOf(container);
  programs.set(container, known);
  return known;
}

/** As `builtinProgram`, and a container of which nothing is simulated can't be started. */
export function builtinProgramOnly(container: Container): ImageProgram {
  const { warning, ...program } = builtinProgram(container);
  return warning === undefined ? program : { startError: warning };
}

/** Containers are asked for again and again, and never change. */
const programs = new WeakMap<Container, ImageProgram>();

function programOf(container: Container): ImageProgram {
  if (isMissing(container.image ?? '')) return { pull: 'fail' };
  const image = knownImage(container.image ?? '') ?? unknownImage;
  const command = commandOf(container, image);
  /** The command with its variables, as the kubelet puts them in. */
  const wordsOf = ({ command: given }: ContainerProcess): readonly string[] =>
    container.command?.length ? given : [...image.entrypoint, ...(given.length > 0 ? given : (image.arguments ?? []))];
  const filesOf = (process: ContainerProcess): FileSystem =>
    fileSystemOf(process, {
      own: image.files ?? {},
      isReadOnly: container.securityContext?.readOnlyRootFilesystem === true,
    });
  const startedIn = (process: ContainerProcess) => ({ process, files: filesOf(process), words: wordsOf(process) });
  const exec: ImageProgram = image.shell
    ? {
        exec: (words, process, stdin) =>
          execute({ words, process, files: filesOf(process) }, stdin, image.task?.(words)),
      }
    : {};
  const server = image.server?.(command);
  if (server !== undefined) return { ...exec, ...serving(server, filesOf, startOf(command, container)) };
  const task = image.task?.(command);
  if (task !== undefined) return { ...exec, run: (process) => runTask(task, startedIn(process)) };
  const obstacle = obstacleOf(
    command.map((word) => withoutVariables(word, container)),
    image,
  );
  if (obstacle !== undefined) return { ...exec, ...obstacle };
  const running = { ...exec, run: (process: ContainerProcess) => runMain(startedIn(process)) };
  return command.some((word) => /\btrap\b/.test(word)) ? { ...running, terminate: trapped } : running;
}

function commandOf({ command = [], args = [] }: Container, image: KnownImage): readonly string[] {
  if (command.length > 0) return [...command, ...args];
  return [...image.entrypoint, ...(args.length > 0 ? args : (image.arguments ?? []))];
}

/** A word with something in the place of each variable that the kubelet puts in, which looks like a command of the shell. */
const withoutVariables = (word: string, { env = [] }: Container): string =>
  word.replaceAll(/\$\(([^()\s]+)\)/g, (whole, name: string) =>
    env.some((each) => each.name === name) ? 'value' : whole,
  );

/** Why what the container would run can't be run as it is: the image does not have it, or it is not known here; undefined where it can. */
function obstacleOf([name = '', ...args]: readonly string[], image: KnownImage): ImageProgram | undefined {
  if (name === '') return { warning: 'the simulation has no program for its image' };
  if (!isShell(baseName(name))) {
    if (isKnown(name, commands)) return undefined;
    return lacks(image, name)
      ? { startError: `failed to create containerd task: exec: "${name}": executable file not found in $PATH` }
      : { warning: `the simulation has no program for its command "${[name, ...args.slice(0, 1)].join(' ')}"` };
  }
  const { script } = scriptOf(args, '');
  if (script === undefined) return { warning: 'the simulation has no program for a shell without a script' };
  try {
    const unknown = unknownCommand(parseScript(script), commands, (each) => lacks(image, each));
    return unknown === undefined
      ? undefined
      : { warning: `the simulation does not run its script: it has no command "${unknown}"` };
  } catch (error) {
    if (error instanceof UnknownSyntax)
      return { warning: `the simulation does not run its script: it can't read ${error.message}` };
    throw error;
  }
}

/** Whether the image is known not to have a command: the shell says so then, as a real one does. */
const lacks = ({ commands: own }: KnownImage, name: string): boolean =>
  own !== undefined && !name.includes('/') && !own.has(name);

const exitKey = 'exit';

const startOf = (command: readonly string[], { env = [] }: Container): Start => ({
  command,
  variables: env.map(({ name }) => name),
});

function serving(server: Server, filesOf: (process: ContainerProcess) => FileSystem, start: Start): ImageProgram {
  const { http, raw, udp, begins, isWell, works, listens } = server;
  const { tcp, udp: packets = [] } = listens(start);
  return {
    ...(isWell && { ready: isWell }),
    ports: tcp,
    run: (process) =>
      new Promise((resolve) => {
        if (begins !== undefined) process.log(begins(start));
        process.memory.set(exitKey, resolve);
        // It ends with the process.
        works?.(process).catch(() => undefined);
      }),
    http(request, process) {
      const { url, method, body } = request;
      const isPacket = url.protocol === 'udp:';
      if (!(isPacket ? packets : tcp).includes(portOf(url))) throw new ConnectionRefused('connection refused');
      if (isPacket) return { status: 200, body: udp?.(body, process, request) ?? '' };
      if (method === rawMethod) return { status: 200, body: raw?.(process) ?? notHttp };
      return http(request, process, aroundOf(process, filesOf(process)));
    },
  };
}

function aroundOf(process: ContainerProcess, files: FileSystem): Around {
  return {
    files,
    async shell(script) {
      const { exitCode, stdout = '', stderr = '' } = await execute({ words: ['sh', '-c', script], process, files }, '');
      return { output: stdout + stderr, status: exitCode };
    },
    exit: (code) => (process.memory.get(exitKey) as ((code: number) => void) | undefined)?.(code), // Kept when it began.
  };
}
