import type { Instant, Timer } from '@ordinal/client';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { whenSettled } from './eventually.ts';
import { ConnectionRefused } from './network.ts';
import type {
  ContainerProcess,
  Eventually,
  ImageProgram,
  SimulatedExit,
  SimulatedReply,
  SimulatedRequest,
} from './program.ts';

/** How a process is started. */
export interface ProcessOptions {
  readonly program: ImageProgram;
  /** The process as its program sees it, given the signal that asks it to end. */
  readonly describe: (terminated: AbortSignal) => Omit<ContainerProcess, 'startedAt'>;
  readonly scheduler: Scheduler;
  /** When it was started, of one that runs already; now by default. */
  readonly startedAt?: Instant | undefined;
  /** Called once, with the exit code. */
  readonly exited: (exitCode: number) => void;
  /** The process of the pod that listens at a port. */
  readonly mateAt?: ((port: number) => SimulatedProcess | undefined) | undefined;
  /** Whether the process ends well by itself when its program does not say (that of a Job). */
  readonly endsByItself: boolean;
}

const killedExitCode = 137;

/** The exit code of a process that can't be started, as containerd has it. */
const notStartedExitCode = 128;

/** The exit code of a process that SIGTERM ends. */
const terminatedExitCode = 143;
const quickStopMs = 5;
const defaultTaskMs = 1000;

/** A program that runs. Nothing of it acts or answers any more once it has ended. */
export class SimulatedProcess {
  readonly view: ContainerProcess;
  readonly startedAt: Instant;
  private readonly options: ProcessOptions;
  private readonly termination = new AbortController();
  private readonly timers: Timer[] = [];
  private ended = false;

  constructor(options: ProcessOptions) {
    this.options = options;
    this.startedAt = options.startedAt ?? options.scheduler.now();
    this.view = { ...options.describe(this.termination.signal), startedAt: this.startedAt };
    this.begin();
  }

  /** What it runs. */
  get program(): ImageProgram {
    return this.options.program;
  }

  /** Whether the process answers requests already, and still. */
  get listens(): boolean {
    return !this.ended && this.options.scheduler.now() >= this.startedAt + (this.options.program.startsIn ?? 0);
  }

  /** Whether the program says that it is well. */
  get isWell(): boolean {
    const { ready = true } = this.options.program;
    return this.listens && (typeof ready === 'function' ? ready(this.view) : ready);
  }

  /** Whether the process is well, and something listens at the port. */
  isWellAt(port: number): boolean {
    const { ports } = this.options.program;
    return this.isWell && (ports?.includes(port) ?? true);
  }

  /** Who of the pod answers at the port: the process that listens there, or this one where that can't be known. */
  at(port: number): SimulatedProcess {
    if (this.options.program.ports?.includes(port) === true) return this;
    return this.options.mateAt?.(port) ?? this;
  }

  /** Answers an HTTP request, or throws where nothing listens or the process ends meanwhile. */
  request(request: SimulatedRequest): Eventually<SimulatedReply> {
    if (!this.listens) throw new ConnectionRefused('connection refused');
    const { http } = this.options.program;
    if (http === undefined) return this.isWell ? 200 : 503;
    return this.whileAlive(http(request, this.view));
  }

  /** Executes a command in the container. */
  exec(command: readonly string[], stdin: string): Eventually<SimulatedExit> {
    if (this.ended) throw new ConnectionRefused('container not running');
    const { exec } = this.options.program;
    if (exec !== undefined) return this.whileAlive(exec(command, this.view, stdin));
    if (command[0] === 'true') return { exitCode: 0 };
    if (command[0] === 'false') return { exitCode: 1 };
    const stderr = `exec: "${command[0] ?? ''}": executable file not found in $PATH`;
    return { exitCode: 126, stderr };
  }

  /** Asks the process to end (SIGTERM). It may take its time, or take no notice. */
  terminate(): void {
    if (this.ended || this.termination.signal.aborted) return;
    this.termination.abort();
    const { stopsIn = quickStopMs, terminate } = this.options.program;
    if (stopsIn === 'never') return;
    this.after(stopsIn, () => {
      whenSettled(
        () => terminate?.(this.view),
        // A task that is terminated has not done what it was there for.
        () => this.end(this.options.endsByItself && terminate === undefined ? terminatedExitCode : 0),
        () => this.end(1),
      );
    });
  }

  /** Ends the process at once (SIGKILL). */
  kill(): void {
    this.end(killedExitCode);
  }

  /** Ends the process without any notice: its machine is gone. */
  vanish(): void {
    this.ended = true;
    for (const timer of this.timers) timer.cancel();
    if (!this.termination.signal.aborted) this.termination.abort();
  }

  private begin(): void {
    const { program, endsByItself } = this.options;
    if (program.startError !== undefined) {
      this.after(0, () => this.end(notStartedExitCode));
      return;
    }
    if (program.warning !== undefined) this.view.log(program.warning);
    const crash = typeof program.crash === 'function' ? program.crash(this.view) : program.crash;
    if (crash !== undefined) this.after(crash.afterMs, () => this.end(crash.exitCode ?? 1));
    if (program.run !== undefined) {
      const { run } = program;
      this.after(program.startsIn ?? 0, () => {
        whenSettled(
          () => run(this.view),
          (exitCode) => this.end(exitCode),
          () => this.end(1),
        );
      });
    } else if (endsByItself && crash === undefined) {
      this.after((program.startsIn ?? 0) + defaultTaskMs, () => this.end(0));
    }
  }

  private whileAlive<T>(value: Eventually<T>): Eventually<T> {
    if (!(value instanceof Promise)) return value;
    return value.then((settled) => {
      if (this.ended) throw new ConnectionRefused('connection reset: the process has ended');
      return settled;
    });
  }

  private after(delayMs: number, action: () => void): void {
    const timer = this.options.scheduler.schedule(delayMs, 'process', () => {
      if (!this.ended) action();
    });
    this.timers.push(timer);
  }

  private end(exitCode: number): void {
    if (this.ended) return;
    this.vanish();
    this.options.exited(exitCode);
  }
}
