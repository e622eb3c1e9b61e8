import { shortDuration } from '../../src/terminal/duration.ts';

/** How long ago a time was, such as `2m10s`; empty where there is none. */
export function ago(time: string | undefined, now: number): string {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? '' : shortDuration(now - at);
}

/** What is left until a deadline. */
export interface Countdown {
  /** In milliseconds; below 0 when it is over. */
  readonly leftMs: number;
  /** What is left of the whole, from 0 to 1. */
  readonly part: number;
}

/** What is left of the time between two. Undefined where either is missing. Pure. */
export function countdown(since: string | undefined, deadline: string | undefined, now: number): Countdown | undefined {
  const [from, to] = [Date.parse(since ?? ''), Date.parse(deadline ?? '')];
  if (Number.isNaN(from) || Number.isNaN(to) || to <= from) return undefined;
  return { leftMs: to - now, part: Math.min(1, Math.max(0, (to - now) / (to - from))) };
}
