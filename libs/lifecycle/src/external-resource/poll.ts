import type { Instant } from '@ordinal/client';

/** How often to look at things that change by themselves. In milliseconds. */
export interface PollIntervals {
  /** The shortest interval while something is under way. */
  readonly movingMinMs: number;
  /** The longest interval while something is under way. */
  readonly movingMaxMs: number;
  /** For what rests: how soon an outside change is noticed. */
  readonly steadyMs: number;
}

/** 2 s growing to 1 minute while something is under way; every 10 minutes for drift. */
export const usualIntervals: PollIntervals = { movingMinMs: 2_000, movingMaxMs: 60_000, steadyMs: 600_000 };

/** The interval, 10% shorter to 10% longer, so that many resources do not call at once. `random` is in [0, 1). */
export function jittered(intervalMs: number, random: number): number {
  return Math.round(intervalMs * (0.9 + 0.2 * random));
}

/** When to look again at what has been under way since a time: an eighth of the time that it has taken so far, within the bounds. */
export function nextPoll(
  { now, since, random }: { readonly now: Instant; readonly since: Instant; readonly random: number },
  { movingMinMs, movingMaxMs }: PollIntervals,
): Instant {
  const interval = Math.min(movingMaxMs, Math.max(movingMinMs, (now - since) / 8));
  return now + jittered(interval, random);
}
