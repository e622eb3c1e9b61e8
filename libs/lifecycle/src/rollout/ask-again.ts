import type { Instant } from '@ordinal/client';
import type { Step } from './step.ts';

/** How long after a no a gate is asked again at most, in milliseconds, unless the spec says otherwise: an upgrade is to notice soon that it has opened. */
export const gateIntervalMs = 1_000;

/** The same for another check, in milliseconds: a hand-off that fails may cost clients a pause each time. And for a gate whose Job has not said yes. */
export const checkIntervalMs = 15_000;

/** The same after a check that could not be run, in milliseconds: no pod answered, or none was asked. */
export const failureIntervalMs = 30_000;

/** The longest pauses between two questions, in milliseconds. */
export interface AskAgain {
  /** After a no. */
  readonly maxMs: number;
  /** After the no of a gate that is no Job. */
  readonly maxAtGateMs: number;
  /** After a check that could not be run. */
  readonly maxAfterFailureMs: number;
}

/** What has been waited for, and since when. */
export interface Waiting {
  /** Absent outside of an upgrade. */
  readonly step?: Step;
  readonly podUID?: string;
  readonly since: Instant;
}

/**
 * How long until a question that was answered with no is asked again, in milliseconds: 1, 2, 4 s and so on up to `maxMs`, by how long it has been waited for. So nothing has to be
 * counted: an operator that starts again goes on where the last one stood, and no status is written for it. Pure.
 *
 * **Guarantees.** `waitedMs` of a time in the future, after a clock was set back, gives the longest pause.
 */
export function pauseAfter(waitedMs: number, maxMs: number): number {
  if (waitedMs < 0) return maxMs;
  let [pauseMs, until] = [1000, 1000];
  while (pauseMs < maxMs && waitedMs >= until) {
    pauseMs *= 2;
    until += pauseMs;
  }
  return Math.min(pauseMs, maxMs);
}
