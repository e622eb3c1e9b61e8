import type { Instant } from '@ordinal/client';
import { scaleDown } from '../rollout/go-down.ts';
import type { RolloutObservation } from '../rollout/observation.ts';
import type { Answered } from './release.ts';
import { keptBy } from './release.ts';
import { rememberedAfter, unanswered } from '../rollout/remembered.ts';

/** How far a StatefulSet may become smaller now. */
export interface Shrunk extends Answered {
  readonly replicas: number;
}

/**
 * How many members a StatefulSet may keep of more than are asked for: it becomes smaller by one at a time, and each leaves through the same gates. Undefined where it is not to become
 * smaller. Pure: it says what must be asked before it can decide, and is called again with the answers.
 */
export function shrinkThroughGates(rollout: RolloutObservation, now: Instant): Shrunk | undefined {
  const verdict = scaleDown(rollout, now);
  if (verdict === undefined) return undefined;
  const held = { replicas: rollout.replicas, actions: [], ask: [] };
  if ('ask' in verdict) return { ...held, ...unanswered(verdict.ask, rollout, now) };
  const { outcome } = verdict;
  const remembered = rememberedAfter(rollout, outcome);
  const { lookAgainAt } = outcome;
  if (outcome.step !== 'TakingDown') return { ...held, ...keptBy(outcome), remembered };
  return {
    ...held,
    replicas: rollout.replicas - 1,
    remembered,
    ...(lookAgainAt === undefined ? {} : { lookAgainAt }),
  };
}
