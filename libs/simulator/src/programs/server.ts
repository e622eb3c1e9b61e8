import type { ContainerProcess, Eventually, SimulatedReply, SimulatedRequest } from '../node/program.ts';
import type { FileSystem } from './file-system.ts';

/** The ports at which a server listens. */
interface Listening {
  readonly tcp: readonly number[];
  readonly udp?: readonly number[];
}

/** How a server is started. */
export interface Start {
  readonly command: readonly string[];
  /** The names of its variables. */
  readonly variables: readonly string[];
}

/** What a server of an image does: requests, and nothing that ends by itself. */
export interface Server {
  readonly http: (request: SimulatedRequest, process: ContainerProcess, around: Around) => Eventually<SimulatedReply>;
  /** What it answers to a connection that speaks no HTTP. Absent: that it is none. */
  readonly raw?: (process: ContainerProcess) => string;
  /** What it answers to a packet; undefined where it answers nothing. */
  readonly udp?: (message: string, process: ContainerProcess, request: SimulatedRequest) => string | undefined;
  /** Where it listens. */
  readonly listens: (start: Start) => Listening;
  /** Whether it is well, as it says in gRPC. Always, where it is absent. */
  readonly isWell?: (process: ContainerProcess) => boolean;
  /** What it writes when it starts. */
  readonly begins?: (start: Start) => string;
  /** What it does beside its answers until it is to end. */
  readonly works?: (process: ContainerProcess) => Promise<void>;
}

/** What a server of HTTP answers to anything else: the words of Go's. */
export const notHttp =
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request';

/** What a server of an image has around it. */
export interface Around {
  readonly files: FileSystem;
  /** Runs a script in the container; gives all that it has printed, and how it ended. */
  readonly shell: (script: string) => Promise<{ readonly output: string; readonly status: number }>;
  /** Ends the process with this code. */
  readonly exit: (code: number) => void;
}
