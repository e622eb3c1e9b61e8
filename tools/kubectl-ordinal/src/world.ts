import type { Clock } from '@ordinal/client';
import type { KubeconfigPlace } from './cluster/connect.ts';
import type { ProgramEnd } from './other-version/run-program.ts';

/** What the program reaches of the machine that it runs on. It is handed in, so that a test sees all that a user would. */
export interface World {
  /** Of the environment, what says where the kubeconfig is. */
  readonly environment: KubeconfigPlace;
  readonly clock: Clock;
  /** What is asked for: text with its line ends. */
  readonly out: (text: string) => void;
  /** What is said beside it. */
  readonly err: (text: string) => void;
  /** `out` is a terminal, which can be drawn over. */
  readonly isTerminal: boolean;
  /** It shows colors, and they are wanted. */
  readonly hasColors: boolean;
  readonly columns: number;
  readonly rows: number;
  /** Asks the user. Resolves to undefined where there is no terminal to ask at. */
  readonly confirm: (question: string) => Promise<boolean | undefined>;
  /** Reads a file, or the standard input for `-`. */
  readonly readFile: (path: string) => Promise<string>;
  /** Reads a file that is no text. */
  readonly readBytes: (path: string) => Promise<Uint8Array>;
  /** Runs a program by this Node, with the user's environment, until it ends. `input` is what it reads. */
  readonly runProgram: (program: Uint8Array, args: readonly string[], input?: string) => Promise<ProgramEnd>;
  readonly writeFile: (path: string, content: Uint8Array) => Promise<void>;
  /** Aborted when the user ends the program. */
  readonly interrupted: AbortSignal;
}
