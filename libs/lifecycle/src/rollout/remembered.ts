import type { Instant } from '@ordinal/client';
import { catchingUpAfter } from './catch-up.ts';
import type { Awaited, Question, RolloutObservation } from './observation.ts';
import type { RolloutOutcome } from './outcome.ts';

/** What of single members the status keeps from one look to the next. */
export interface Remembered {
  /** The UID of the member whose hand-off is done. */
  readonly handedOff?: string;
  /** Whose replacements have not said yet that they have caught up. */
  readonly catchingUp?: readonly Awaited[];
}

/** What of single members stands in a status: with the upgrade that is under way, or beside it. Pure. */
export function rememberedIn({ upgrade, ...status }: Remembered & { readonly upgrade?: Remembered } = {}): Remembered {
  const handedOff = upgrade?.handedOff ?? status.handedOff;
  const catchingUp = upgrade?.catchingUp ?? status.catchingUp;
  return { ...(handedOff === undefined ? {} : { handedOff }), ...(catchingUp === undefined ? {} : { catchingUp }) };
}

/** What is to be remembered after this outcome. Pure. */
export function rememberedAfter(
  rollout: RolloutObservation,
  outcome: Pick<RolloutOutcome, 'actions' | 'handedOff'>,
): Remembered {
  const catchingUp = catchingUpAfter(rollout, outcome);
  const { handedOff = rollout.handedOff } = outcome;
  return {
    ...(handedOff === undefined ? {} : { handedOff }),
    ...(catchingUp.length === 0 ? {} : { catchingUp }),
  };
}

/** How long until the next look where something is still to be asked, in milliseconds. */
const askAgainMs = 1000;

/** What is still to be asked, with what stood in the status until then. */
export function unanswered(
  ask: readonly Question[],
  { handedOff, catchingUp }: RolloutObservation,
  now: Instant,
): { readonly ask: readonly Question[]; readonly lookAgainAt: Instant; readonly remembered: Remembered } {
  const known = catchingUp === undefined ? {} : { catchingUp };
  return {
    ask,
    lookAgainAt: now + askAgainMs,
    remembered: { ...known, ...(handedOff === undefined ? {} : { handedOff }) },
  };
}
