import type { Container, Probe } from 'kubernetes-types/core/v1.js';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { Prober } from './probe.ts';
import type { SimulatedProcess } from './process.ts';
import type { ImageProgram } from './program.ts';

/** What a container's health works with. */
export interface HealthOptions {
  readonly scheduler: Scheduler;
  readonly program: () => ImageProgram;
  readonly container: () => Container;
  /** Called when the container has started, or is ready or not any more. */
  readonly changed: () => void;
  /** Called when a probe of this name says that the process has to go. */
  readonly failed: (process: SimulatedProcess, probe: 'startup' | 'liveness') => void;
  /** Does something later, unless the container does something else before. */
  readonly after: (delayMs: number, action: () => void) => void;
}

const imageHealthProbe: Probe = { periodSeconds: 1, failureThreshold: 1 };

/** Whether a container has started and is ready, as its probes say. */
export class ContainerHealth {
  started = false;
  ready = false;
  private readonly options: HealthOptions;
  private probers: Prober[] = [];

  constructor(options: HealthOptions) {
    this.options = options;
  }

  /** Follows a new process. */
  follow(process: SimulatedProcess): void {
    const { startupProbe } = this.options.container();
    if (startupProbe === undefined) {
      this.begun(process);
      return;
    }
    this.addProber(startupProbe, process, (succeeds) => {
      this.stopProbers();
      if (succeeds) this.begun(process);
      else this.options.failed(process, 'startup');
    });
  }

  /** The process has started before, and was ready or not. */
  resume(ready: boolean): void {
    this.started = true;
    this.ready = ready;
  }

  /** The process ends: nothing is asked any more. */
  stopProbers(): void {
    for (const prober of this.probers) prober.stop();
    this.probers = [];
  }

  /** The process has ended. */
  ended(): void {
    this.stopProbers();
    this.ready = false;
    this.started = false;
  }

  private begun(process: SimulatedProcess): void {
    const { readinessProbe, livenessProbe } = this.options.container();
    this.started = true;
    const setReady = (ready: boolean): void => {
      if (this.ready === ready) return;
      this.ready = ready;
      this.options.changed();
    };
    if (readinessProbe !== undefined) this.addProber(readinessProbe, process, setReady);
    else this.followImage(process, setReady);
    if (livenessProbe !== undefined)
      this.addProber(livenessProbe, process, (succeeds) => !succeeds && this.options.failed(process, 'liveness'));
    this.options.changed();
  }

  /** Without a readiness probe, the image's own health check decides, where it brings one along. */
  private followImage(process: SimulatedProcess, setReady: (ready: boolean) => void): void {
    const { ready = true, startsIn = 0 } = this.options.program();
    if (typeof ready === 'function') this.addProber(imageHealthProbe, process, setReady);
    else if (!ready) this.ready = false;
    else if (startsIn === 0) this.ready = true;
    else this.options.after(startsIn, () => setReady(true));
  }

  private addProber(probe: Probe, process: SimulatedProcess, changed: (succeeds: boolean) => void): void {
    const { scheduler, container } = this.options;
    this.probers.push(new Prober({ probe, process, container: container(), scheduler, changed }));
  }
}
