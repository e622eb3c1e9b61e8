import type { Random } from '@ordinal/client';

/** How delays grow. */
export interface BackoffOptions {
  /** The delay after the first failure, in milliseconds. */
  readonly baseMs: number;
  /** No delay is longer, in milliseconds. */
  readonly capMs: number;
  /** The share of a delay that is left to chance, from 0 to 1: `0.2` gives 80 to 100 % of it. */
  readonly jitter: number;
}

/** The delay before the next attempt after `failures` failures in a row (one or more), in milliseconds. It doubles up to the cap, and never gives up. */
export function backoffDelay(failures: number, options: BackoffOptions, random: Random): number {
  const doublings = Math.min(Math.max(failures, 1) - 1, 52);
  const whole = Math.min(options.capMs, options.baseMs * 2 ** doublings);
  return whole * (1 - options.jitter * random());
}
