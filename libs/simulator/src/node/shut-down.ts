import type { Timer } from '@ordinal/client';
import type { Container } from 'kubernetes-types/core/v1.js';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { whenSettled } from './eventually.ts';
import { askProcess } from './probe.ts';
import type { SimulatedProcess } from './process.ts';

const minimalGraceMs = 2000;

/** How a process is ended. */
export interface ShutDown {
  readonly container: Container;
  readonly graceMs: number;
  readonly scheduler: Scheduler;
  /** Gets each timer that will kill the process: the one before it counts no more. */
  readonly killedBy: (timer: Timer) => void;
}

/** Ends a process: the container's preStop hook, SIGTERM, and SIGKILL when the time of grace is over. */
export function shutDown(process: SimulatedProcess, { container, graceMs, scheduler, killedBy }: ShutDown): void {
  const hook = container.lifecycle?.preStop;
  if (hook === undefined || graceMs === 0) {
    killedBy(scheduler.schedule(graceMs, 'kill', () => process.kill()));
    process.terminate();
    return;
  }
  const deadline = scheduler.now() + graceMs;
  let finished = false;
  const finish = (): void => {
    if (finished) return;
    finished = true;
    // A hook that used up the time of grace leaves the process a little of it.
    const left = Math.max(minimalGraceMs, deadline - scheduler.now());
    killedBy(scheduler.schedule(left, 'kill', () => process.kill()));
    process.terminate();
  };
  scheduler.schedule(graceMs, 'preStop timeout', finish);
  const sleepSeconds = (hook as { readonly sleep?: { readonly seconds: number } }).sleep?.seconds;
  if (sleepSeconds !== undefined) scheduler.schedule(sleepSeconds * 1000, 'preStop sleep', finish);
  else whenSettled(() => askProcess(hook, process, container), finish, finish);
}
