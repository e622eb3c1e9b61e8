import type { Instant } from '@ordinal/client';
import type { Action, Announcement } from '../decision/index.ts';
import type { TaskStep } from '../task/index.ts';

/** One step of a clean-up: what is awaited, what is done for it, and when to look again. */
export interface CleanUpStep<Reason extends string> {
  readonly reason: Reason;
  readonly message: string;
  readonly actions: readonly Action[];
  readonly tasks: readonly TaskStep[];
  readonly events: readonly Announcement[];
  /** It goes on, but a user has to look. */
  readonly failed?: boolean;
  readonly lookAgainAt?: Instant;
}

/** What of a clean-up is still to be done. Undefined when nothing is, which has to be observed: a step that has only asked for something is not over. */
export type CleanUpRule<Seen, Reason extends string> = (seen: Seen, now: Instant) => CleanUpStep<Reason> | undefined;

/** The first step, in this order, that is not over. Undefined when all are. Nothing is remembered, so that a clean-up goes on from what is there (I14). */
export function firstStep<Seen, Reason extends string>(
  rules: readonly CleanUpRule<Seen, Reason>[],
  seen: Seen,
  now: Instant,
): CleanUpStep<Reason> | undefined {
  for (const rule of rules) {
    const next = rule(seen, now);
    if (next) return next;
  }
  return undefined;
}

/** A step that only waits, save for what `more` adds. */
export const cleanUpStep = <Reason extends string>(
  reason: Reason,
  message: string,
  more: Partial<CleanUpStep<Reason>> = {},
): CleanUpStep<Reason> => ({ reason, message, actions: [], tasks: [], events: [], ...more });
