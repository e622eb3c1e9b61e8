import type { Instant, Timer } from '@ordinal/client';
import { instantOf } from '@ordinal/client';
import type { Container, ContainerState, ContainerStatus } from 'kubernetes-types/core/v1.js';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { stateOf } from './container-phase.ts';
import type { EndedPhase, Phase } from './container-phase.ts';
import { ContainerHealth } from './container-health.ts';
import type { ContainerProcess, ImageProgram } from './program.ts';
import { askProcess } from './probe.ts';
import { SimulatedProcess } from './process.ts';
import { whenSettled } from './eventually.ts';
import { restartsOnResize } from './resize.ts';
import { shutDown } from './shut-down.ts';

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
  /** The message that a run ends with, by its exit code. */
  readonly messageOf: (exitCode: number) => string | undefined;
  /** The process of the pod that listens at a port. */
  readonly mateAt: (port: number) => SimulatedProcess | undefined;
  /** Publishes an event of the pod. */
  readonly event: (type: 'Normal' | 'Warning', reason: string, message: string) => void;
}

/** How long a kubelet takes until it acts upon a spec that has changed. */
const syncMs = 1000;
const firstBackoffMs = 10_000;
const lastBackoffMs = 300_000;
/** A container that ran for so long starts its back-off again. */
const forgivenAfterMs = 600_000;

/** One container of a pod on its node: pulled, created, probed, restarted with back-off, and ended. */
export class SimulatedContainer {
  restarts = 0;
  private currentSpec: Container;
  /** Whether it was asked to start. */
  private wasAsked = false;
  /** Whether it ends because its image is another one. */
  private replacing = false;
  private readonly options: ContainerOptions;
  private phase: Phase;
  private previous: EndedPhase | undefined;
  private readonly health: ContainerHealth;
  private timer: Timer | undefined;
  private pullBackoffMs = firstBackoffMs;
  private crashBackoffMs = firstBackoffMs;
  private stopping = false;
  private whenEnded: (() => void) | undefined;

  constructor(options: ContainerOptions) {
    this.options = options;
    this.currentSpec = options.spec;
    this.phase = { name: 'waiting', reason: options.waitsFor };
    this.health = new ContainerHealth({
      scheduler: options.scheduler,
      program: options.program,
      container: () => this.spec,
      changed: options.changed,
      failed: (process, probe) => this.fail(process, probe),
      after: (delayMs, action) => this.after(delayMs, action),
    });
  }

  /** The container as the pod has it now. */
  get spec(): Container {
    return this.currentSpec;
  }

  /** The process, while the container runs. */
  get process(): SimulatedProcess | undefined {
    return this.phase.name === 'running' ? this.phase.process : undefined;
  }

  /** The name of its present or latest run. */
  get id(): string {
    return this.options.idOf(this.restarts);
  }

  /** Whether it has started, as its startup probe says. */
  get started(): boolean {
    return this.health.started;
  }

  /** Whether the container runs and is ready. */
  get isReady(): boolean {
    return this.health.ready && this.phase.name === 'running';
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
    this.wasAsked = true;
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
      this.health.resume(ready);
    } else if (state?.terminated?.exitCode === 0 && this.options.restartPolicy !== 'Always') {
      const { exitCode, startedAt, finishedAt } = state.terminated;
      const now = this.options.scheduler.now();
      const times = { startedAt: instantOf(startedAt) ?? now, finishedAt: instantOf(finishedAt) ?? now };
      this.phase = { name: 'ended', exitCode, ...times, containerId: this.options.idOf(restartCount) };
    } else this.start();
  }

  /** Ends the container: the preStop hook, SIGTERM, and SIGKILL when the time of grace is over. */
  stop(graceMs: number, ended: () => void): void {
    this.stopping = true;
    this.timer?.cancel();
    this.health.stopProbers();
    const { process } = this;
    if (process === undefined) {
      ended();
      return;
    }
    this.whenEnded = ended;
    this.shutDown(process, graceMs);
  }

  /** Goes by a spec that was changed in place. Where the image is another one, or its policy for other resources says so, what runs is ended and started again, whatever the pod's policy. */
  change(spec: Container, graceMs: number): void {
    const isOther = spec.image !== this.currentSpec.image || restartsOnResize(this.currentSpec, spec);
    this.currentSpec = spec;
    if (!isOther || this.stopping || this.replacing) return;
    const { phase } = this;
    if (phase.name === 'running') {
      this.replacing = true;
      // Until the kubelet acts, the pod shows what runs.
      this.options.scheduler.schedule(syncMs, 'kubelet', () => {
        if (this.stopping || this.phase !== phase) return;
        this.options.event('Normal', 'Killing', `Container ${spec.name} definition changed, will be restarted`);
        this.shutDown(phase.process, graceMs);
      });
    } else if (phase.name === 'waiting' && this.wasAsked) {
      // It waits because of the image before, or is in a back-off of that one.
      this.pullBackoffMs = firstBackoffMs;
      if (phase.reason === 'CrashLoopBackOff') this.restarts += 1;
      this.start();
    }
  }

  /** The machine is gone, and the container with it. */
  vanish(): void {
    this.stopping = true;
    this.timer?.cancel();
    this.health.stopProbers();
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
    const { program, describe, scheduler, restartPolicy, mateAt } = this.options;
    const process = new SimulatedProcess({
      program: program(),
      scheduler,
      startedAt,
      describe: (terminated) => describe(terminated, this.restarts),
      exited: (exitCode) => this.ended(exitCode, process),
      mateAt,
      endsByItself: restartPolicy !== 'Always',
    });
    this.enter({ name: 'running', process });
    if (startedAt === undefined) this.announce(process.program);
    this.health.follow(process);
    if (startedAt === undefined) this.afterStart(process);
  }

  /** Publishes that it has started or can't be, and what its program is not. */
  private announce({ startError, warning }: ImageProgram): void {
    const { event } = this.options;
    if (startError !== undefined) event('Warning', 'Failed', `Error: ${startError}`);
    else event('Normal', 'Started', `Started container ${this.spec.name}`);
    if (warning !== undefined) event('Warning', 'NotSimulated', `Container ${this.spec.name}: ${warning}`);
  }

  /** Does what is to be done after the start. Where that fails, the process has to go. */
  private afterStart(process: SimulatedProcess): void {
    const hook = this.spec.lifecycle?.postStart;
    if (hook === undefined) return;
    const fail = (): void => {
      this.options.event('Warning', 'FailedPostStartHook', 'PostStartHook failed');
      process.kill();
    };
    whenSettled(
      () => askProcess(hook, process, this.spec),
      (succeeds) => (succeeds ? undefined : fail()),
      fail,
    );
  }

  private failPull(image: string): void {
    const message = `failed to pull and unpack image "${image}": not found`;
    this.options.event('Warning', 'Failed', `Failed to pull image "${image}": ${message}`);
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

  private fail(process: SimulatedProcess, probe: string): void {
    this.options.event('Normal', 'Killing', `Container ${this.spec.name} failed ${probe} probe, will be restarted`);
    process.terminate();
    this.options.scheduler.schedule(30_000, 'kill', () => process.kill());
  }

  private ended(exitCode: number, process: SimulatedProcess): void {
    const { restartPolicy, scheduler, idOf } = this.options;
    this.timer?.cancel();
    this.health.ended();
    const ended: EndedPhase = {
      name: 'ended',
      exitCode,
      startedAt: process.startedAt,
      finishedAt: scheduler.now(),
      containerId: idOf(this.restarts),
      message: process.program.startError ?? this.options.messageOf(exitCode) ?? process.program.warning,
      reason: process.program.startError === undefined ? undefined : 'StartError',
    };
    if (ended.finishedAt - ended.startedAt >= forgivenAfterMs) this.crashBackoffMs = firstBackoffMs;
    this.enter(ended);
    if (this.stopping) {
      this.whenEnded?.();
      return;
    }
    if (this.replacing) {
      this.replacing = false;
      this.previous = ended;
      this.crashBackoffMs = firstBackoffMs;
      this.restartAfter(10);
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
      this.options.event('Warning', 'BackOff', `Back-off restarting failed container ${this.spec.name}`);
    }
    this.restartAfter(Math.max(backoff, 10));
  }

  private restartAfter(delayMs: number): void {
    this.after(delayMs, () => {
      this.restarts += 1;
      this.start();
    });
  }

  private shutDown(process: SimulatedProcess, graceMs: number): void {
    shutDown(process, {
      container: this.spec,
      graceMs,
      scheduler: this.options.scheduler,
      killedBy: (timer) => {
        this.timer?.cancel();
        this.timer = timer;
      },
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
}
