/** A time, in milliseconds since the Unix epoch. */
export type Instant = number;

/** A timer that was set and can be taken back. */
export interface Timer {
  /** Takes the timer back; harmless when it has fired. */
  cancel(): void;
}

/**
 * Where time comes from. Everything in Ordinal that waits or dates something takes a clock through its constructor, so that a whole operator can
 * run in virtual time.
 */
export interface Clock {
  /** The current time. */
  now(): Instant;
  /** Calls `action` once, `delayMs` milliseconds from now. The timer never keeps a process alive by itself. */
  after(delayMs: number, action: () => void): Timer;
}

/** A source of randomness: a number in [0, 1), as `Math.random` gives. */
export type Random = () => number;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, action) {
    const handle = setTimeout(action, Math.min(delayMs, 0x7fffffff));
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};

/**
 * Resolves after `delayMs` on the clock, or rejects with the signal's reason as soon as it is aborted.
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason as Error);
    };
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
