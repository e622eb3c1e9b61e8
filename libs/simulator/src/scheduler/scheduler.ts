import type { Clock, Instant, Random, Timer } from '@ordinal/client';
import { EventQueue } from './event-queue.ts';
import type { ScheduledEvent } from './event-queue.ts';
import { hashOf, integerBetween, seededRandom } from './random.ts';

/** How a scheduler is set up. */
export interface SchedulerOptions {
  readonly seed: number;
  /** The start time. Defaults to the start of 2026, so that histories do not depend on the day they run on; in wall-clock mode to the present. */
  readonly startsAt?: Instant;
  /** `virtual`: the clock jumps to the next event. A number: events wait for the machine's clock, `2` being twice as fast. */
  readonly pace?: 'virtual' | number;
}

/** When a run ends. */
export interface RunOptions {
  /** Ends the run as soon as it is true; it is asked whenever nothing is left to do now. */
  readonly until?: () => boolean;
  /** Ends the run when so much time has passed in the simulated world. Ten minutes by default. */
  readonly maxVirtualMs?: number;
}

/** Why a run ended: `until` was true, nothing is scheduled any more, or the time was over. */
export type RunOutcome = 'reached' | 'idle' | 'timeout';

const defaultRunMs = 600_000;

/**
 * The one source of order in a simulated world: whatever happens, happens as an event of this queue, on one thread. Between two events all
 * promises settle that can, then the clock moves to the next event; only a look that has found nothing (`scheduleLook`) sets off none. So the same seed
 * gives the same history.
 */
export class Scheduler {
  readonly clock: Clock;
  readonly random: Random;
  private readonly seed: number;
  private readonly queue = new EventQueue();
  private readonly pace: 'virtual' | number;
  private readonly startsAt: Instant;
  private readonly wallStart = performance.now();
  private present: Instant;
  private sequence = 0;
  private executed = 0;
  private failure: { readonly error: unknown } | undefined;
  private mayBePending = true;
  private wake: (() => void) | undefined;

  constructor(options: SchedulerOptions) {
    this.seed = options.seed;
    this.pace = options.pace ?? 'virtual';
    this.startsAt = options.startsAt ?? (this.pace === 'virtual' ? Date.UTC(2026, 0, 1) : Date.now());
    this.present = this.startsAt;
    this.random = seededRandom(options.seed);
    this.clock = { now: () => this.now(), after: (delayMs, action) => this.schedule(delayMs, 'timer', action) };
  }

  /** The number of events that were executed. */
  get steps(): number {
    return this.executed;
  }

  /** The current time of the simulated world. */
  now(): Instant {
    if (this.pace === 'virtual') return this.present;
    return Math.max(this.present, Math.floor(this.startsAt + (performance.now() - this.wallStart) * this.pace));
  }

  /** A random source of its own for a part of the world: what one part draws does not shift what another gets. */
  randomFor(name: string): Random {
    return seededRandom((this.seed ^ hashOf(name)) >>> 0);
  }

  /** Calls `action` once, `delayMs` from now. An error that it throws ends the run that executes it. */
  schedule(delayMs: number, label: string, action: () => void): Timer {
    return this.push(delayMs, label, { action, isLook: false });
  }

  /**
   * As `schedule`, for a waiting caller that mostly finds nothing. `look` answers whether it has found what it waits for. It must do nothing else: where it
   * answers no, the next event follows at once, without a turn of the event loop, and no promise settles before. Such looks are most of a long history's events.
   */
  scheduleLook(delayMs: number, label: string, look: () => boolean): Timer {
    return this.push(delayMs, label, { action: look, isLook: true });
  }

  /** As `schedule`, after a delay between the two bounds, drawn at random. */
  scheduleBetween(bounds: readonly [number, number], label: string, action: () => void): Timer {
    return this.schedule(integerBetween(this.random, bounds[0], bounds[1]), label, action);
  }

  /** Moves the clock forward without executing anything that falls due; it is late then, as after a machine was suspended. */
  jump(delayMs: number): void {
    this.present = this.now() + delayMs;
  }

  /** Executes events until one of the options ends it. Rejects with the first error that an event's action threw. */
  async run(options: RunOptions = {}): Promise<RunOutcome> {
    const deadline = this.now() + (options.maxVirtualMs ?? defaultRunMs);
    this.mayBePending = true;
    for (;;) {
      if (this.mayBePending) await settled();
      this.mayBePending = true;
      this.throwFailure();
      if (options.until?.() === true) return 'reached';
      const next = this.queue.peek();
      if (this.pace !== 'virtual') {
        if (this.now() >= deadline) return 'timeout';
        if (next === undefined || next.at > this.now()) {
          await this.wallPause(Math.min(next?.at ?? deadline, deadline));
          continue;
        }
      } else if (next === undefined) {
        return 'idle';
      } else if (next.at > deadline) {
        this.present = Math.max(this.present, deadline);
        return 'timeout';
      }
      this.execute();
    }
  }

  /** Lets so much time pass, and executes what falls due meanwhile. */
  async advance(delayMs: number): Promise<void> {
    const deadline = this.now() + delayMs;
    const outcome = await this.run({ maxVirtualMs: delayMs });
    if (outcome === 'idle') this.present = Math.max(this.present, deadline);
  }

  private push(delayMs: number, label: string, what: Pick<ScheduledEvent, 'action' | 'isLook'>): Timer {
    const at = this.now() + Math.max(0, Math.ceil(delayMs));
    const event: ScheduledEvent = {
      at,
      sequence: (this.sequence += 1),
      label,
      action: what.action,
      isLook: what.isLook,
    };
    this.queue.push(event);
    this.wake?.();
    return {
      cancel: () => this.queue.cancel(event),
    };
  }

  private execute(): void {
    const event = this.queue.pop();
    if (event?.action === undefined) return;
    const { action } = event;
    // What has happened can't be cancelled any more.
    event.action = undefined;
    this.present = Math.max(this.present, event.at);
    this.executed += 1;
    try {
      const outcome: unknown = action();
      this.mayBePending = !event.isLook || outcome !== false;
    } catch (error) {
      this.failure ??= { error };
    }
  }

  private throwFailure(): void {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  private wallPause(until: Instant): Promise<void> {
    const pace = this.pace === 'virtual' ? 1 : this.pace;
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(handle);
        this.wake = undefined;
        resolve();
      };
      const handle = setTimeout(done, Math.max(0, Math.min(until - this.now(), 3_600_000)) / pace);
      this.wake = done;
    });
  }
}

/** Resolves when every promise reaction and `nextTick` that can run has run: the event loop comes to its check phase only then. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
