import { askAll } from '../health-check/index.ts';
import type { Question, RolloutAnswer } from './observation.ts';
import { questionKey } from './observation.ts';

/** How it is asked until something can be decided. */
export interface AskingOn<Decided> {
  /** Decides from the answers so far, or says what else must be asked. */
  readonly decide: (answers: ReadonlyMap<string, RolloutAnswer>) => Decided | { readonly ask: readonly Question[] };
  readonly put: (question: Question) => Promise<RolloutAnswer>;
  /** How often it may ask on: roles, sync, the hand-off and gates are asked one after the other. */
  readonly maxRounds: number;
}

/**
 * Asks until it can be decided: questions of one round side by side, a few at a time. The answers go into `answers`, so that what is decided again afterwards is not asked
 * again. Undefined where it still asks after `maxRounds`.
 */
export async function askUntilDecided<Decided extends object>(
  { decide, put, maxRounds }: AskingOn<Decided>,
  answers: Map<string, RolloutAnswer> = new Map<string, RolloutAnswer>(),
): Promise<Decided | undefined> {
  for (let round = 0; round < maxRounds; round += 1) {
    const verdict = decide(answers);
    if (!('ask' in verdict)) return verdict;
    await askAll(verdict.ask, async (question) => answers.set(questionKey(question), await put(question)));
  }
  return undefined;
}
