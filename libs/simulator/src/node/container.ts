import type { Instant, Timer } from '@ordinal/client';
import { instantOf, timestamp } from '@ordinal/client';
import type { Container, ContainerState, ContainerStatus, Lifecycle, Probe } from 'kubernetes-types/core/v1.js';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { whenSettled } from './eventually.ts';
import { askProcess, Prober } from './probe.ts';
import type { ContainerProcess, ImageProgram } from './program.ts';
import { SimulatedProcess } from './process.ts';

/** How a container of a pod is set up. */
export interface ContainerOptions {
  readonly spec: Container;
  readonly restartPolicy: 'Always' | 'OnFailure' | 'Never';
  /** Why it waits before anything is done for it: `ContainerCreating`, or `PodInitializing` where the pod has init containers. */
  readonly waitsFor: 'ContainerCreating' | 'PodInitializing';
  /** The name of the container's run with so many restarts before it, as the container runtime gives it. */
  readonly idOf: (restarts: number) => string;
  readonly scheduler: Scheduler;
  readonly program: () => ImageProgram;
  readonly describe: (terminated: AbortSignal, restarts: number) => Omit<ContainerProcess, 'startedAt'>;
  /** Why the container can't be made now, as a waiting reason and its message; undefined where it can. */
  readonly obstacle: () => readonly [reason: string, message: string] | undefined;
  /** Called when the container's part of the pod's status is another than before. */
  readonly changed: () => void;
  /** Publishes an event of the pod. */
  readonly event: (type: 'Normal' | 'Warning', reason: string, message: string) => void;
}

type Phase =
  | { readonly name: 'waiting'; readonly reason: string; readonly message?: string }
  | { readonly name: 'running'; readonly process: SimulatedProcess }
  | EndedPhase;

/** A run that has ended. */
interface EndedPhase {
  readonly name: 'ended';
  readonly exitCode: number;
  readonly startedAt: Instant;
  readonly finishedAt: Instant;
  readonly containerId: string;
}

const firstBackoffMs = 10_000;
const lastBackoffMs = 300_000;
/** A container that ran for so long starts its back-off again. */
const forgivenAfterMs = 600_000;
const minimalGraceMs = 2000;

/** One container of a pod on its node: pulled, created, probed, restarted with back-off, and ended. */
export class SimulatedContainer {
  readonly spec: Container;
  restarts = 0;
  started = false;
  private readonly options: ContainerOptions;
  private phase: Phase;
  private previous: EndedPhase | undefined;
  private probers: Prober[] = [];
  private timer: Timer | undefined;
  private ready = false;
  private pullBackoffMs = firstBackoffMs;
  private crashBackoffMs = firstBackoffMs;
  private stopping = false;
  private whenEnded: (() => void) | undefined;

  constructor(options: ContainerOptions) {
    this.options = options;
    this.spec = options.spec;
    this.phase = { name: 'waiting', reason: options.waitsFor };
  }

  /** The process, while the container runs. */
  get process(): SimulatedProcess | undefined {
    return this.phase.name === 'running' ? this.phase.process : undefined;
  }

  /** The name of its present or latest run. */
  get id(): string {
    return this.options.idOf(this.restarts);
  }

  /** Whether the container runs and is ready. */
  get isReady(): boolean {
    return this.ready && this.phase.name === 'running';
  }

  /** The exit code of a container that has ended and is not started again. */
  get exitCode(): number | undefined {
    return this.phase.name === 'ended' ? this.phase.exitCode : undefined;
  }

  /** The exit code of its latest run that has ended. */
  get lastExitCode(): number | undefined {
    return this.exitCode ?? this.previous?.exitCode;
  }

  /** Whether the container does not run, and is to. */
  get isWaiting(): boolean {
    return this.phase.name === 'waiting';
  }

  /** The container's state as the pod's status shows it, and the one before. */
  states(): { readonly state: ContainerState; readonly lastState: ContainerState } {
    return { state: stateOf(this.phase), lastState: this.previous === undefined ? {} : stateOf(this.previous) };
  }

  /** Has the container pulled, created and started. */
  start(): void {
    const program = this.options.program();
    const image = this.spec.image ?? '';
    if (this.stopping) return;
    if (program.pull === 'fail') this.failPull(image);
    else if (this.restarts === 0 && (program.pull ?? 0) > 0) this.after(Number(program.pull), () => this.create());
    else this.create();
  }

  /** Goes on as a status says: what runs is not started again, what has ended well stays so, and everything else is started. */
  resume({ state, restartCount, ready, started }: ContainerStatus): void {
    this.restarts = restartCount;
    const since = instantOf(state?.running?.startedAt);
    if (since !== undefined) {
      this.run(since);
      if (started === false) return;
      this.started = true;
      this.ready = ready;
    } else if (state?.terminated?.exitCode === 0 && this.options.restartPolicy !== 'Always') {
      const { exitCode, startedAt, finishedAt } = state.terminated;
      const now = this.options.scheduler.now();
      const times = { startedAt: instantOf(startedAt) ?? now, finishedAt: instantOf(finishedAt) ?? now };
      this.phase = { name: 'ended', exitCode, ...times, containerId: this.options.idOf(restartCount) };
    } else this.start();
  }

  /** Ends the container: the preStop hook, SIGTERM, and SIGKILL when the time of grace is over. */
  stop(graceMs: number, lifecycle: Lifecycle | undefined, ended: () => void): void {
    this.stopping = true;
    this.timer?.cancel();
    this.stopProbers();
    const { process } = this;
    if (process === undefined) {
      ended();
      return;
    }
    this.whenEnded = ended;
    const { scheduler } = this.options;
    this.timer = scheduler.schedule(graceMs, 'kill', () => process.kill());
    const terminate = (): void => process.terminate();
    const hook = lifecycle?.preStop;
    if (hook === undefined || graceMs === 0) {
      terminate();
      return;
    }
    const finish = (): void => {
      // A hook that used up the time of grace leaves the process a little of it.
      this.timer?.cancel();
      const left = Math.max(minimalGraceMs, deadline - scheduler.now());
      this.timer = scheduler.schedule(left, 'kill', () => process.kill());
      terminate();
    };
    const deadline = scheduler.now() + graceMs;
    const sleepSeconds = (hook as { readonly sleep?: { readonly seconds: number } }).sleep?.seconds;
    let finished = false;
    const once = (): void => {
      if (finished) return;
      finished = true;
      finish();
    };
    this.timer.cancel();
    scheduler.schedule(graceMs, 'preStop timeout', once);
    if (sleepSeconds !== undefined) scheduler.schedule(sleepSeconds * 1000, 'preStop sleep', once);
    else whenSettled(() => askProcess(hook, process, this.spec), once, once);
  }

  /** The machine is gone, and the container with it. */
  vanish(): void {
    this.stopping = true;
    this.timer?.cancel();
    this.stopProbers();
    this.process?.vanish();
  }

  private create(): void {
    const { program: programOf, obstacle } = this.options;
    const program = programOf();
    const hindered =
      program.create === undefined ? obstacle() : (['CreateContainerError', program.create.fail] as const);
    if (hindered !== undefined) {
      this.enter({ name: 'waiting', reason: hindered[0], message: hindered[1] });
      this.after(firstBackoffMs, () => this.create());
      return;
    }
    this.run();
  }

  /** Runs its process: a new one, or one that was started at a time before. */
  private run(startedAt?: Instant): void {
    const { program, describe, scheduler, restartPolicy } = this.options;
    const process = new SimulatedProcess({
      program: program(),
      scheduler,
      startedAt,
      describe: (terminated) => describe(terminated, this.restarts),
      exited: (exitCode) => this.ended(exitCode, process),
      endsByItself: restartPolicy !== 'Always',
    });
    this.enter({ name: 'running', process });
    if (startedAt === undefined) this.event('Normal', 'Started', `Started container ${this.spec.name}`);
    this.probe(process);
  }

  private failPull(image: string): void {
    const message = `failed to pull and unpack image "${image}": not found`;
    this.event('Warning', 'Failed', `Failed to pull image "${image}": ${message}`);
    this.enter({ name: 'waiting', reason: 'ErrImagePull', message });
    const backoff = this.pullBackoffMs;
    this.pullBackoffMs = Math.min(backoff * 2, lastBackoffMs);
    this.after(Math.min(1000, backoff), () => {
      this.enter({
        name: 'waiting',
        reason: 'ImagePullBackOff',
        message: `Back-off pulling image "${image}": ErrImagePull: ${message}`,
      });
      this.after(backoff, () => this.start());
    });
  }

  private probe(process: SimulatedProcess): void {
    const { startupProbe } = this.spec;
    if (startupProbe === undefined) {
      this.begun(process);
      return;
    }
    this.addProber(startupProbe, process, (succeeds) => {
      this.stopProbers();
      if (succeeds) this.begun(process);
      else this.fail(process, 'startup');
    });
  }

  private begun(process: SimulatedProcess): void {
    const { readinessProbe, livenessProbe } = this.spec;
    this.started = true;
    const setReady = (ready: boolean): void => {
      if (this.ready === ready) return;
      this.ready = ready;
      this.options.changed();
    };
    if (readinessProbe !== undefined) this.addProber(readinessProbe, process, setReady);
    else this.followHealth(process, setReady);
    if (livenessProbe !== undefined)
      this.addProber(livenessProbe, process, (succeeds) => !succeeds && this.fail(process, 'liveness'));
    this.options.changed();
  }

  /** Without a readiness probe, the image's own health check decides, where it brings one along. */
  private followHealth(process: SimulatedProcess, setReady: (ready: boolean) => void): void {
    const { ready = true, startsIn = 0 } = this.options.program();
    if (typeof ready === 'function') this.addProber(imageHealthProbe, process, setReady);
    else if (!ready) this.ready = false;
    else if (startsIn === 0) this.ready = true;
    else this.after(startsIn, () => setReady(true));
  }

  private addProber(probe: Probe, process: SimulatedProcess, changed: (succeeds: boolean) => void): void {
    this.probers.push(new Prober({ probe, process, container: this.spec, scheduler: this.options.scheduler, changed }));
  }

  private fail(process: SimulatedProcess, probe: string): void {
    this.event('Normal', 'Killing', `Container ${this.spec.name} failed ${probe} probe, will be restarted`);
    process.terminate();
    this.options.scheduler.schedule(30_000, 'kill', () => process.kill());
  }

  private ended(exitCode: number, process: SimulatedProcess): void {
    const { restartPolicy, scheduler, idOf } = this.options;
    this.timer?.cancel();
    this.stopProbers();
    const ended: EndedPhase = {
      name: 'ended',
      exitCode,
      startedAt: process.startedAt,
      finishedAt: scheduler.now(),
      containerId: idOf(this.restarts),
    };
    this.ready = false;
    this.started = false;
    if (ended.finishedAt - ended.startedAt >= forgivenAfterMs) this.crashBackoffMs = firstBackoffMs;
    this.enter(ended);
    if (this.stopping) {
      this.whenEnded?.();
      return;
    }
    if (restartPolicy === 'Never' || (restartPolicy === 'OnFailure' && exitCode === 0)) return;
    // The first restart comes at once, the others after a back-off.
    const backoff = this.restarts === 0 ? 0 : this.crashBackoffMs;
    if (this.restarts > 0) this.crashBackoffMs = Math.min(this.crashBackoffMs * 2, lastBackoffMs);
    this.previous = ended;
    if (backoff > 0) {
      const message = `back-off ${backoff / 1000}s restarting failed container=${this.spec.name}`;
      this.enter({ name: 'waiting', reason: 'CrashLoopBackOff', message });
      this.event('Warning', 'BackOff', `Back-off restarting failed container ${this.spec.name}`);
    }
    this.after(Math.max(backoff, 10), () => {
      this.restarts += 1;
      this.start();
    });
  }

  private enter(phase: Phase): void {
    this.phase = phase;
    this.options.changed();
  }

  private after(delayMs: number, action: () => void): void {
    this.timer?.cancel();
    this.timer = this.options.scheduler.schedule(delayMs, 'container', () => {
      if (!this.stopping) action();
    });
  }

  private stopProbers(): void {
    for (const prober of this.probers) prober.stop();
    this.probers = [];
  }

  private event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.options.event(type, reason, message);
  }
}

const imageHealthProbe: Probe = { periodSeconds: 1, failureThreshold: 1 };

function stateOf(phase: Phase): ContainerState {
  switch (phase.name) {
    case 'waiting':
      return { waiting: { reason: phase.reason, ...(phase.message !== undefined && { message: phase.message }) } };
    case 'running':
      return { running: { startedAt: timestamp(phase.process.startedAt) } };
    case 'ended': {
      const { exitCode, startedAt, finishedAt, containerId: containerID } = phase;
      const reason = exitCode === 0 ? 'Completed' : 'Error';
      const times = { startedAt: timestamp(startedAt), finishedAt: timestamp(finishedAt) };
      return { terminated: { exitCode, reason, ...times, containerID } };
    }
  }
}
