import { normalPath } from '../file-system.ts';
import type { FileSystem } from '../file-system.ts';
import type { Streams } from './command.ts';

/** What the commands of this file read and change of the shell that they run in. */
export interface ShellState {
  readonly options: { readonly files: FileSystem };
  readonly variables: Map<string, string>;
  /** The variables that commands get. */
  readonly exported: Set<string>;
  /** What is run for a signal, by its name. */
  readonly traps: Map<string, string>;
  folder: string;
  /** Whether a command that fails ends the shell. */
  endsOnError: boolean;
  variable(name: string): string;
  invoke(words: readonly string[], streams: Streams): Promise<number>;
}

/** Ends the shell. */
export class ExitShell extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`exit ${status}`);
    this.status = status;
  }
}

/** Leaves a loop, or goes on with its next turn. */
export class LoopJump extends Error {
  readonly ends: boolean;

  constructor(ends: boolean) {
    super('a jump outside of a loop');
    this.ends = ends;
  }
}

type Builtin = (args: readonly string[], shell: ShellState, streams: Streams) => number | Promise<number>;

/** Commands that change the shell they run in. */
export const builtins: Readonly<Record<string, Builtin | undefined>> = {
  ':': () => 0,
  cd([path = '/root'], shell, { err }) {
    const folder = normalPath(path, shell.folder);
    if (!shell.options.files.isFolder(folder)) {
      err(`sh: cd: can't cd to ${path}: No such file or directory\n`);
      return 2;
    }
    shell.folder = folder;
    return 0;
  },
  exec: (args, shell, streams) =>
    args.length === 0
      ? 0
      : shell.invoke(args, streams).then((status) => {
          throw new ExitShell(status);
        }),
  exit([status], shell) {
    throw new ExitShell(Number(status ?? shell.variable('?')) & 255);
  },
  break() {
    throw new LoopJump(true);
  },
  continue() {
    throw new LoopJump(false);
  },
  export(args, shell) {
    for (const arg of args) {
      const [name = '', ...value] = arg.split('=');
      shell.exported.add(name);
      if (arg.includes('=')) shell.variables.set(name, value.join('='));
    }
    return 0;
  },
  pwd: (_, shell, { out }) => {
    out(`${shell.folder}\n`);
    return 0;
  },
  set(args, shell) {
    for (const arg of args) {
      if (/^-\w*e/.test(arg)) shell.endsOnError = true;
      else if (/^\+\w*e/.test(arg)) shell.endsOnError = false;
    }
    return 0;
  },
  trap([action = '', ...signals], shell) {
    for (const signal of signals) shell.traps.set(signal.replace(/^SIG/, ''), action);
    return 0;
  },
  unset(args, shell) {
    for (const name of args) shell.variables.delete(name);
    return 0;
  },
  wait: () => 0,
};
