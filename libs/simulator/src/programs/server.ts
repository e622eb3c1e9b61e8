import type { ContainerProcess, Eventually, SimulatedReply, SimulatedRequest } from '../node/program.ts';
import type { FileSystem } from './file-system.ts';

/** What a server of an image does: requests, and nothing that ends by itself. */
export interface Server {
  readonly http: (request: SimulatedRequest, process: ContainerProcess, around: Around) => Eventually<SimulatedReply>;
  /** What it answers to a connection that speaks no HTTP; undefined where it answers nothing. */
  readonly raw?: (process: ContainerProcess) => string | undefined;
  /** Where it usually listens; absent where it listens nowhere. */
  readonly port?: number;
  /** Where it listens beside, for what is no HTTP. */
  readonly otherPorts?: readonly number[];
  /** Whether it is well, as it says in gRPC. Always, where it is absent. */
  readonly isWell?: (process: ContainerProcess) => boolean;
  /** What it writes when it starts. */
  readonly begins?: string;
}

/** What a server of an image has around it. */
export interface Around {
  readonly files: FileSystem;
  /** Runs a script in the container; gives all that it has printed, and how it ended. */
  readonly shell: (script: string) => Promise<{ readonly output: string; readonly status: number }>;
  /** Ends the process with this code. */
  readonly exit: (code: number) => void;
}
