import type { Instant } from '@ordinal/client';
import { conditionOf } from '@ordinal/client';
import type { Announcement, Decision, LastingFailure, RolloutOutcome } from '@ordinal/lifecycle';
import { withLastingFailures } from '@ordinal/lifecycle';
import type { Findings } from './findings.ts';
import { releaseCommand } from './status.ts';

/** What a check is found in. */
type Decided = Pick<Findings, 'cache' | 'rollout' | 'outcome'>;

/** The condition that is true while a check that something waits for can't be run, or its Job has failed; and the reason of its events. */
export const checkFailed = 'CheckFailed';

/** What helps: the command that overrides the check, or one that shows why the member does not answer. */
function toHelp(outcome: RolloutOutcome, { cache, rollout }: Decided): string {
  const command = releaseCommand(outcome, { cache, rollout });
  if (command !== undefined) return `to go on without it: ${command}`;
  const { name, namespace = 'default' } = cache.metadata;
  return `to see more: kubectl describe pod -n ${namespace} ${outcome.member?.name ?? name}`;
}

/** The check that has failed. While its Job is run anew, what the condition says stays so. */
function failuresOf(decided: Decided): readonly LastingFailure[] {
  const { cache, outcome } = decided;
  if (outcome?.failedCheck) {
    const { reason, message } = outcome.failedCheck;
    return [{ reason, message: `${message}; ${toHelp(outcome, decided)}` }];
  }
  const before = conditionOf(cache.status?.conditions, checkFailed);
  return outcome?.isCheckPending && before?.status === 'True' ? [before] : [];
}

const eventOf = (note: string): Announcement => ({ type: 'Warning', reason: checkFailed, note });

/** The decision, with the check that has failed which its outcome waits for. Pure. */
export const withFailedCheck = (decision: Decision, decided: Decided, now: Instant): Decision =>
  withLastingFailures(decision, { type: checkFailed, failures: failuresOf(decided), eventOf }, now);
