import type { Instant } from '@ordinal/client';
import type { Decision, RolloutOutcome } from '@ordinal/lifecycle';
import { withFailedCheck } from '@ordinal/lifecycle';
import type { Findings } from './findings.ts';
import { releaseCommand } from './status.ts';

/** What a check is found in. */
type Decided = Pick<Findings, 'cache' | 'rollout' | 'outcome'>;

/** What helps: the command that overrides the check, or one that shows why the member does not answer. */
function toHelp(outcome: RolloutOutcome, { cache, rollout }: Decided): string {
  const command = releaseCommand(outcome, { cache, rollout });
  if (command !== undefined) return `to go on without it: ${command}`;
  const { name, namespace = 'default' } = cache.metadata;
  return `to see more: kubectl describe pod -n ${namespace} ${outcome.member?.name ?? name}`;
}

/** The decision, with the check that has failed which its outcome waits for. Pure. */
export function withFailedCheckOf(decision: Decision, decided: Decided, now: Instant): Decision {
  const { cache, outcome } = decided;
  const result = outcome && { ...outcome, help: toHelp(outcome, decided) };
  return withFailedCheck(decision, { result, before: cache.status?.conditions }, now);
}
