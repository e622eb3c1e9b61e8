import type { ContainerProcess, SimulatedExit } from '../node/program.ts';
import { commands } from './commands/index.ts';
import type { FileSystem } from './file-system.ts';
import type { SimpleCommand } from './shell/command.ts';
import { baseName } from './shell/command.ts';
import { parseScript } from './shell/parse.ts';
import { isShell, scriptOf, Shell } from './shell/shell.ts';
import { UnknownSyntax } from './shell/syntax.ts';
import { isKnown } from './shell/understood.ts';

/** A process with its files, and the words that something in it is started with. */
export interface Started {
  readonly process: ContainerProcess;
  readonly files: FileSystem;
  readonly words: readonly string[];
}

/** Runs a command of an image's own; its arguments are all words that it was started with. */
export async function runTask(task: SimpleCommand, { process: own, files, words }: Started): Promise<number> {
  const log = logger(own);
  const env = new Map(Object.entries(own.env));
  const io = {
    process: own,
    files,
    folder: '/',
    env,
    stdin: '',
    out: log.write,
    err: log.write,
    signal: own.terminated,
  };
  return unlessAborted(own, async () => {
    const status = await task(words, io);
    log.end();
    return status;
  });
}

/** What is waited for rejects when the process is asked to end. When it ends then, and how, is not the program's to say. */
async function unlessAborted(process: ContainerProcess, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (process.terminated.aborted) return await new Promise<never>(() => undefined);
    throw error;
  }
}

const shellKey = 'shell';

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

/** Runs a container's command, a shell or another one. */
export async function runMain({ process, files, words }: Started): Promise<number> {
  const log = logger(process);
  const streams = { stdin: '', out: log.write, err: log.write };
  const [name = '', ...args] = words;
  const shell = new Shell({ process, files, commands, signal: process.terminated });
  process.memory.set(shellKey, shell);
  return unlessAborted(process, async () => {
    try {
      if (!isShell(baseName(name))) return await shell.invoke(words, streams);
      // It was read before: what its variables make of it is no part of its syntax.
      const { script = '', parameters, endsOnError } = scriptOf(args, '');
      Object.assign(shell, { name, parameters, endsOnError });
      return await shell.run(parseScript(script), streams);
    } finally {
      log.end();
    }
  });
}

/** Does what the script has set for SIGTERM; the process ends after that. */
export async function trapped(process: ContainerProcess): Promise<void> {
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

/** Runs a command beside the container's process; `task` is what it does, where it is one of the image's own. */
export async function execute(
  { words, process, files }: Started,
  stdin: string,
  task?: SimpleCommand,
): Promise<SimulatedExit> {
  const [name = ''] = words;
  if (task === undefined && !isKnown(name, commands))
    return { exitCode: 126, stderr: `exec: "${name}": executable file not found in $PATH` };
  let stdout = '';
  let stderr = '';
  const shell = new Shell({ process, files, commands });
  try {
    const streams = {
      stdin,
      out: (text: string) => void (stdout += text),
      err: (text: string) => void (stderr += text),
    };
    const own = { process, files, folder: '/', env: shell.variables, signal: undefined };
    const exitCode = await (task === undefined ? shell.invoke(words, streams) : task(words, { ...own, ...streams }));
    return { exitCode, stdout, stderr };
  } catch (error) {
    if (error instanceof UnknownSyntax)
      return { exitCode: 2, stderr: `sh: the simulation can't read ${error.message}` };
    throw error;
  }
}
