import type { Instant } from '@ordinal/client';
import { decideRollout, questionKey } from '@ordinal/lifecycle';
import type { Action, Question, RolloutAnswer, RolloutObservation } from '@ordinal/lifecycle';

/** The next actions of a rollout. `put` asks a member: its role, whether it is in sync, or whether a gate is open. */
export async function nextActions(
  seen: Omit<RolloutObservation, 'answer'>,
  put: (question: Question) => Promise<RolloutAnswer>,
  now: Instant,
): Promise<readonly Action[]> {
  const answers = new Map<string, RolloutAnswer>();
  for (;;) {
    const verdict = decideRollout({ ...seen, answer: (question) => answers.get(questionKey(question)) }, now);
    if ('settled' in verdict) return verdict.settled;
    if ('outcome' in verdict) return verdict.outcome.actions;
    for (const question of verdict.ask) answers.set(questionKey(question), await put(question));
  }
}
