import type { Clock, Timer } from '@ordinal/client';
import type { Scheduler } from '../scheduler/scheduler.ts';

/** How long a request of an operator, a reply to it and a watch event take on the way, in milliseconds. */
export const wayMs: readonly [number, number] = [1, 3];

/**
 * One life of an operator's process: from its start to its crash. Whatever is to reach the process passes here. After the crash nothing does any more;
 * while it is paused, everything waits.
 */
export class Incarnation {
  readonly number: number;
  readonly clock: Clock;
  private readonly scheduler: Scheduler;
  private readonly timers = new Set<Timer>();
  private readonly endings = new Set<() => void>();
  private backlog: (() => void)[] | undefined;
  private alive = true;
  private skewMs = 0;

  constructor(number: number, scheduler: Scheduler) {
    this.number = number;
    this.scheduler = scheduler;
    this.clock = {
      now: () => scheduler.now() + this.skewMs,
      after: (delayMs, action) => this.after(delayMs, 'operator timer', action),
    };
  }

  /** Whether the process runs. */
  get isAlive(): boolean {
    return this.alive;
  }

  /** Ends the process at once. */
  crash(): void {
    if (!this.alive) return;
    this.alive = false;
    this.backlog = undefined;
    for (const timer of this.timers) timer.cancel();
    this.timers.clear();
    for (const end of this.endings) end();
    this.endings.clear();
  }

  /** Stops the process in its tracks for a while, as a long garbage collection or a suspended machine does. */
  pause(forMs: number): void {
    if (!this.alive || this.backlog !== undefined) return;
    this.backlog = [];
    this.scheduler.schedule(forMs, 'operator resumes', () => {
      const waiting = this.backlog ?? [];
      this.backlog = undefined;
      for (const action of waiting) this.enter(action);
    });
  }

  /** Sets the process's clock forward or back, as the correction of a wrong clock does. */
  skew(byMs: number): void {
    this.skewMs += byMs;
  }

  /** Has something reach the process: at once, later where it is paused, or never where it is dead. */
  enter(action: () => void): void {
    if (!this.alive) return;
    if (this.backlog !== undefined) this.backlog.push(action);
    else action();
  }

  /** Has something reach the process after a delay. */
  after(delayMs: number, label: string, action: () => void): Timer {
    if (!this.alive) return { cancel: () => undefined };
    let cancelled = false;
    const timer = this.scheduler.schedule(delayMs, label, () => {
      this.timers.delete(timer);
      this.enter(() => {
        if (!cancelled) action();
      });
    });
    this.timers.add(timer);
    return {
      cancel: () => {
        cancelled = true;
        timer.cancel();
        this.timers.delete(timer);
      },
    };
  }

  /** Calls `end` when the process ends. Returns how to take that back. */
  whenEnded(end: () => void): () => void {
    if (this.alive) this.endings.add(end);
    else end();
    return () => this.endings.delete(end);
  }
}
