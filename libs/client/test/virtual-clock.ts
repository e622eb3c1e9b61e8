import type { Clock } from '../src/clock.ts';

/** A clock that stands still until the test runs it. */
export interface VirtualClock extends Clock {
  /** Lets everything that needs no time happen. */
  settle(): Promise<void>;
  /** Runs timers, one after the other, until the work has ended. */
  runAll<T>(work: Promise<T>): Promise<T>;
}

/** A clock that moves only when the test advances it. */
export function virtualClock(): VirtualClock {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly action: () => void }>();
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    now: () => now,
    after(delayMs, action) {
      const timer = { at: now + delayMs, action };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
    settle,
    async runAll(work) {
      let ended = false;
      const watched = work.finally(() => (ended = true));
      watched.catch(() => undefined);
      for (;;) {
        await settle();
        if (ended) return watched;
        const [next] = [...timers].sort((a, b) => a.at - b.at);
        if (next === undefined) throw new Error('nothing left to wait for');
        timers.delete(next);
        now = Math.max(now, next.at);
        next.action();
      }
    },
  };
}
