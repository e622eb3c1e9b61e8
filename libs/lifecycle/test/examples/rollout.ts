import type { Instant } from '@ordinal/client';
import { askUntilDecided, byDeletion, decideRollout, policyOf, putQuestion, questionKey } from '@ordinal/lifecycle';
import type { Action, Asking, MemberChecks, RolloutObservation, RolloutPolicy } from '@ordinal/lifecycle';

/** The next actions of a rollout. `checks` has the fields of the spec: what members are asked, in which order they go, and how many at a time. */
export async function nextActions(
  seen: Omit<RolloutObservation, 'answer' | keyof RolloutPolicy>,
  checks: MemberChecks,
  { now, how }: { readonly now: Instant; readonly how: Asking },
): Promise<readonly Action[]> {
  const policy = policyOf(checks, seen.wantedReplicas);
  const verdict = await askUntilDecided({
    decide: (answers) =>
      decideRollout({ ...seen, ...policy, answer: (question) => answers.get(questionKey(question)) }, now, byDeletion),
    put: (question) => putQuestion(question, checks, how),
    maxRounds: 10,
  });
  if (!verdict) throw new Error('it still asks');
  return 'settled' in verdict ? verdict.settled : verdict.outcome.actions;
}
