import type { Clock, Instant, Timer } from '@ordinal/client';

/** The clock of a replay: it says what the operator's clock said, and timers fire when a later reconcile began after them. */
export class ReplayClock implements Clock {
  #now: Instant = 0;
  #times: Instant[] = [];
  readonly #timers = new Set<{ readonly due: Instant; readonly action: () => void }>();

  /** Goes on to a reconcile that began then, and in which the clock was asked so often. */
  begin(at: Instant, times: readonly Instant[]): void {
    this.#now = at;
    this.#times = [...times];
    for (const timer of [...this.#timers].filter(({ due }) => due <= at)) {
      this.#timers.delete(timer);
      timer.action();
    }
  }

  /** What it said then; where it is asked more often, the last again. */
  now(): Instant {
    this.#now = this.#times.shift() ?? this.#now;
    return this.#now;
  }

  /** Fires in a later reconcile. */
  after(delayMs: number, action: () => void): Timer {
    const timer = { due: this.#now + delayMs, action };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }
}
