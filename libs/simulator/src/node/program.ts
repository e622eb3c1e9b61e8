import type { Clock, Instant, Random } from '@ordinal/client';
import type { Container } from 'kubernetes-types/core/v1.js';
import type { FetchLike } from './fetch-like.ts';
import type { Lookup } from './names.ts';

/** A request that a container's program or an external service gets. */
export interface SimulatedRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The address that it comes from; absent where that is no pod. */
  readonly client?: string;
}

/** The method of what is no request in HTTP, but bytes on a connection, or in a packet where the URL begins with `udp:`. */
export const rawMethod = 'RAW';

/** The answer to a request: a status alone, or with more. */
export type SimulatedReply =
  number | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> };

/** What a command left behind. */
export interface SimulatedExit {
  readonly exitCode: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** One run of a container, as its program sees it. */
export interface ContainerProcess {
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
  readonly podIp: string;
  readonly node: string;
  readonly container: string;
  readonly image: string;
  readonly command: readonly string[];
  /** Variables with a literal value, and those that name the pod, its namespace or its address. */
  readonly env: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** How many times the container was restarted before. */
  readonly restarts: number;
  /** When this run began. */
  readonly startedAt: Instant;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted when the process is terminated (SIGTERM), or killed. */
  readonly terminated: AbortSignal;
  /** What the process keeps in memory: gone when it ends. */
  readonly memory: Map<string, unknown>;
  /** Where volumes are mounted. Their sub-paths are as the container's variables make them. */
  readonly mounts: readonly Mount[];
  /** Files that the kubelet and the kernel put into the container, by their paths, as they are now. */
  files(): Readonly<Record<string, string>>;
  /** Who runs the process, as the security context says; nothing where it does not. */
  readonly user: { readonly uid?: number; readonly gid?: number };
  /** What is written there becomes the message that the container ends with. */
  readonly terminationMessagePath: string;
  /** Sets the message that the container ends with. */
  report(message: string): void;
  /** The files of a volume, by the volume's name. Those of a claim outlive the pod; those of any other volume go with it. */
  volume(name: string): Map<string, string>;
  /** Requests from within the pod. */
  readonly fetch: FetchLike;
  /** Asks for a name as the pod's `/etc/resolv.conf` says. */
  readonly lookup: Lookup;
  /** Writes a line to the container's log. */
  log(line: string): void;
}

/** A volume in a container. */
export interface Mount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string | undefined;
}

/** Something that may be answered at once or later, in virtual time. */
export type Eventually<T> = T | Promise<T>;

/**
 * What an image does when it is run: a program of the test. Everything may be left out: an image without a program is there at once, starts, is ready
 * and runs until it is terminated; in a Job, it succeeds after a second.
 */
export interface ImageProgram {
  /** How long pulling the image takes, in milliseconds, or that it can't be pulled. */
  readonly pull?: number | 'fail';
  /** The process can't be started, with this message (`StartError`): it has ended with 128. */
  readonly startError?: string;
  /** What is said of the program whenever it starts, in an event of the pod (`NotSimulated`), in the log and where it ends: that it is not what the image does. */
  readonly warning?: string;
  /** The container can't be created at all, with this message (`CreateContainerError`). */
  readonly create?: { readonly fail: string };
  /** How long the process takes until it listens, in milliseconds. Until then it answers no request. */
  readonly startsIn?: number;
  /**
   * Whether the process is well. Without an `http` or `exec` of its own the program answers probes with it; where the pod has no readiness probe, it
   * stands for the health check that the image brings along.
   */
  readonly ready?: boolean | ((process: ContainerProcess) => boolean);
  /** Ends the process by itself, with this exit code (1 by default), so long after it started. A function decides for each run. */
  readonly crash?: CrashPlan | ((process: ContainerProcess) => CrashPlan | undefined);
  /** The process's main part; its end is the process's end, with the exit code. Absent: runs until it is terminated. */
  readonly run?: (process: ContainerProcess) => Eventually<number>;
  /** Answers HTTP requests. Absent: 200 where the process is `ready`, else 503. */
  readonly http?: (request: SimulatedRequest, process: ContainerProcess) => Eventually<SimulatedReply>;
  /** The ports that the process listens at, as probes of TCP and gRPC find them. Absent: all. */
  readonly ports?: readonly number[];
  /** Executes a command. Absent: a shell that has no commands but `true` and `false`. */
  readonly exec?: (command: readonly string[], process: ContainerProcess, stdin: string) => Eventually<SimulatedExit>;
  /** How long the process takes to end after SIGTERM, in milliseconds, or that it ignores that. */
  readonly stopsIn?: number | 'never';
  /**
   * Called when the process gets SIGTERM; with `stopsIn`, it takes the longer of both. The exit code is 0 then. Without it a task, whose end is awaited, ends with 143: it has not
   * done what it was there for.
   */
  readonly terminate?: (process: ContainerProcess) => Eventually<void>;
}

/** When a process ends by itself. */
export interface CrashPlan {
  readonly afterMs: number;
  readonly exitCode?: number;
}

const emptyProgram: ImageProgram = {};

/** Images and their programs, by reference as pods name them. */
export class ImageRegistry {
  /** What a container runs whose image has no program. The empty program by default. */
  otherwise: (container: Container) => ImageProgram = () => emptyProgram;
  private readonly programs = new Map<string, ImageProgram>();

  /** Gives an image a program; pods that are started later get it. Without a program, takes it away again. */
  set(image: string, program: ImageProgram | undefined): void {
    if (program === undefined) this.programs.delete(image);
    else this.programs.set(image, program);
  }

  /** What a container runs. */
  of(container: Container): ImageProgram {
    return this.programs.get(container.image ?? '') ?? this.otherwise(container);
  }
}
