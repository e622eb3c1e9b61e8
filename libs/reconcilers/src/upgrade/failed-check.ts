import type { Instant } from '@ordinal/client';
import type { Decision, RolloutOutcome } from '@ordinal/lifecycle';
import { withFailedCheck } from '@ordinal/lifecycle';
import type { UpgradeFindings } from './record.ts';
import { releaseCommand } from '../commands.ts';

/** What a check is found in. */
type Decided = Pick<UpgradeFindings, 'object' | 'naming' | 'rollout' | 'outcome'>;

/** What helps: the command that overrides the check, or one that shows why the member does not answer. */
function toHelp(outcome: RolloutOutcome, decided: Decided): string {
  const command = releaseCommand(outcome, decided);
  if (command !== undefined) return `to go on without it: ${command}`;
  const { name, namespace = 'default' } = decided.object.metadata;
  return `to see more: kubectl describe pod -n ${namespace} ${outcome.member?.name ?? name}`;
}

/** The decision, with the check that has failed which its outcome waits for. Pure. */
export function withFailedCheckOf<C>(decision: Decision<C>, decided: Decided, now: Instant): Decision<C> {
  const { object, outcome } = decided;
  const result = outcome && { ...outcome, help: toHelp(outcome, decided) };
  return withFailedCheck(decision, { result, before: object.status?.conditions }, now);
}
