import type { Condition, Instant } from '@ordinal/client';
import { conditionOf } from '@ordinal/client';
import type { Announcement, Decision } from '../decision/index.ts';
import { withLastingFailures } from '../error-management/index.ts';
import type { RolloutOutcome } from './outcome.ts';

/** The condition that is true while a check that something waits for can't be run, or its Job has failed; and the reason of its events. */
export const checkFailed = 'CheckFailed';

/** What came of the checks that a decision waits for. */
export interface CheckResult extends Pick<RolloutOutcome, 'failedCheck' | 'isCheckPending'> {
  /** What a user can do, such as the command that overrides the check. */
  readonly help: string;
}

const eventOf = (note: string): Announcement => ({ type: 'Warning', reason: checkFailed, note });

/**
 * The decision, with the check that has failed which it waits for, as the condition and the event `CheckFailed`. `before`: the conditions as they are. Pure.
 *
 * **Guarantees.** While the Job of a check is run again, what the condition says stays so.
 */
export function withFailedCheck<C>(
  decision: Decision<C>,
  { result, before }: { readonly result: CheckResult | undefined; readonly before: readonly Condition[] | undefined },
  now: Instant,
): Decision<C> {
  const reported = conditionOf(before, checkFailed);
  const { failedCheck, isCheckPending, help = '' } = result ?? {};
  const stays = isCheckPending && reported?.status === 'True' ? [reported] : [];
  const failures = failedCheck ? [{ reason: failedCheck.reason, message: `${failedCheck.message}; ${help}` }] : stays;
  return withLastingFailures(decision, { type: checkFailed, failures, eventOf }, now);
}
