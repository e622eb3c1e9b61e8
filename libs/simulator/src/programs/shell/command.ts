import type { ContainerProcess, Eventually } from '../../node/program.ts';
import type { FileSystem } from '../file-system.ts';

/** What a command reads, and where its text goes. */
export interface Streams {
  readonly stdin: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** What a command of the simulated shell works with. */
export interface CommandIo extends Streams {
  readonly process: ContainerProcess;
  readonly files: FileSystem;
  /** The folder that paths begin from. */
  readonly folder: string;
  /** The variables that it gets. */
  readonly env: ReadonlyMap<string, string>;
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal | undefined;
}

/** A command: its arguments without its name. Its answer is how it ends. */
export type SimpleCommand = (args: readonly string[], io: CommandIo) => Eventually<number>;

/** The commands that there are, by their names without a folder. */
export type CommandTable = ReadonlyMap<string, SimpleCommand>;

/** A command's name without its folder. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
