import type { Timer } from '@ordinal/client';
import type { Scheduler } from './scheduler.ts';
import type { Work } from './work.ts';

/** How a work queue behaves. */
export interface WorkQueueOptions {
  readonly name: string;
  readonly scheduler: Scheduler;
  /** How long after it was added a key is worked on, in milliseconds: drawn between the two. */
  readonly latencyMs: readonly [number, number];
  /** Works on a key. Returns after how many milliseconds to do so again; throws to be called again with back-off. */
  readonly work: (key: string) => number | undefined | Work<number | undefined>;
  /** Called with each error that `work` threw. What it throws itself ends the run. */
  readonly failed?: (key: string, error: unknown) => void;
}

const firstBackoffMs = 5;
const lastBackoffMs = 1_000_000;

/**
 * Keys that wait to be worked on, each at most once, as in Kubernetes' own controllers: a key that is added again while it waits is worked on once, and
 * a failure is repeated after 5 ms, 10 ms, and so on. A key whose work waits for an answer is not worked on a second time; one that is added meanwhile is worked
 * on when that has ended.
 */
export class WorkQueue {
  private readonly options: WorkQueueOptions;
  private readonly waiting = new Map<string, Timer>();
  private readonly later = new Map<string, Timer>();
  private readonly failures = new Map<string, number>();
  /** The works that wait for an answer, and the keys of those that were added meanwhile. */
  private readonly active = new Map<string, Work<number | undefined>>();
  private readonly dirty = new Set<string>();

  constructor(options: WorkQueueOptions) {
    this.options = options;
  }

  /** Has the key worked on soon. */
  add(key: string): void {
    if (this.waiting.has(key)) return;
    if (this.active.has(key)) {
      this.dirty.add(key);
      return;
    }
    const { scheduler, latencyMs, name } = this.options;
    this.waiting.set(
      key,
      scheduler.scheduleBetween(latencyMs, name, () => this.process(key)),
    );
  }

  /** Has the key worked on after a delay, unless it is sooner anyway. The latest such wish replaces earlier ones. */
  addAfter(key: string, delayMs: number): void {
    this.later.get(key)?.cancel();
    const timer = this.options.scheduler.schedule(delayMs, this.options.name, () => {
      this.later.delete(key);
      if (!this.waiting.has(key)) this.process(key);
    });
    this.later.set(key, timer);
  }

  /** Forgets everything that waits. */
  clear(): void {
    for (const timer of [...this.waiting.values(), ...this.later.values()]) timer.cancel();
    this.waiting.clear();
    this.later.clear();
    this.failures.clear();
    this.active.clear();
    this.dirty.clear();
  }

  private process(key: string): void {
    this.waiting.delete(key);
    if (this.active.has(key)) {
      this.dirty.add(key);
      return;
    }
    this.attempt(key, () => {
      const work = this.options.work(key);
      if (typeof work === 'object') this.advance(key, work, work.next());
      else this.succeed(key, work);
    });
  }

  /** Goes on with a work that has come to a step: waits for the answer, or is done. */
  private advance(
    key: string,
    work: Work<number | undefined>,
    step: IteratorResult<Promise<void>, number | undefined>,
  ): void {
    if (step.done === true) {
      this.succeed(key, step.value);
      return;
    }
    this.active.set(key, work);
    // As an event, so that what fails there ends the run, as what fails at once does.
    const resume = (go: () => typeof step): void =>
      void this.options.scheduler.schedule(0, this.options.name, () => {
        if (this.active.get(key) !== work) return;
        this.active.delete(key);
        this.attempt(key, () => this.advance(key, work, go()));
        if (!this.active.has(key) && this.dirty.delete(key)) this.add(key);
      });
    step.value.then(
      () => resume(() => work.next()),
      (error: unknown) => resume(() => work.throw(error)),
    );
  }

  private attempt(key: string, action: () => void): void {
    try {
      action();
    } catch (error) {
      this.options.failed?.(key, error);
      const failures = this.failures.get(key) ?? 0;
      this.failures.set(key, failures + 1);
      this.addAfter(key, Math.min(firstBackoffMs * 2 ** failures, lastBackoffMs));
    }
  }

  private succeed(key: string, again: number | undefined): void {
    this.failures.delete(key);
    if (again !== undefined) this.addAfter(key, again);
  }
}
