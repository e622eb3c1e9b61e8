import type { Instant } from '@ordinal/client';
import { instantOf } from '@ordinal/client';

/**
 * Whether a wait is over that began at a time which another clock may have given, or ours before it was set back. A time that is further in the
 * future than the wait is long says nothing, and counts as past: so no wait is longer than twice what it should be, whatever becomes of a clock.
 *
 * For waits that may end too early without harm. One that may not is counted from when it was first seen, which is then written down (`atTheLatest`).
 */
export function isOver(since: Instant, waitMs: number, now: Instant): boolean {
  return now >= since + waitMs || since > now + waitMs;
}

/** A time that was written down, or now where it lies in the future: the clock was set back, and what counts from it counts from now on. */
export function atTheLatest(instant: Instant, now: Instant): Instant {
  return Math.min(instant, now);
}

/** Which part of the time until a deadline has passed, 0 or more; undefined where there is no deadline or it does not lie after the beginning. */
export function elapsedShare(
  since: string | undefined,
  deadline: Instant | undefined,
  now: Instant,
): number | undefined {
  const began = instantOf(since);
  if (began === undefined || deadline === undefined || deadline <= began) return undefined;
  return Math.max(0, now - began) / (deadline - began);
}

/** The seconds since a time that was written down, 0 where it lies in the future; undefined where there is none. */
export function secondsSince(since: string | undefined, now: Instant): number | undefined {
  const began = instantOf(since);
  return began === undefined ? undefined : Math.max(0, (now - began) / 1000);
}
