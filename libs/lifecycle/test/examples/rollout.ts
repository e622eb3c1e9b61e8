import type { Instant } from '@ordinal/client';
import { askUntilDecided, decideRollout, observeChecks, putQuestion, questionKey } from '@ordinal/lifecycle';
import type { Action, Asking, MemberChecks, RolloutObservation } from '@ordinal/lifecycle';

/** The next actions of a rollout. `checks` says how members are asked: their role, whether they are in sync, or whether a gate is open. */
export async function nextActions(
  seen: Omit<RolloutObservation, 'answer' | 'gates' | 'can' | 'askAgain'>,
  checks: MemberChecks,
  { now, how }: { readonly now: Instant; readonly how: Asking },
): Promise<readonly Action[]> {
  const verdict = await askUntilDecided({
    decide: (answers) =>
      decideRollout(
        { ...seen, ...observeChecks(checks), answer: (question) => answers.get(questionKey(question)) },
        now,
      ),
    put: (question) => putQuestion(question, checks, how),
    maxRounds: 10,
  });
  if (!verdict) throw new Error('it still asks');
  return 'settled' in verdict ? verdict.settled : verdict.outcome.actions;
}
