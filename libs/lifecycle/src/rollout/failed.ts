import type { RolloutObservation } from './observation.ts';
import type { Failure, RolloutOutcome, Verdict } from './outcome.ts';
import { proceed, release } from './outcome.ts';

/** The upgrade fails, for this reason and now. Held members go free, so that none is stranded (I3); it is reported once. */
export function failed(failure: Failure, seen: RolloutObservation, rest: Partial<RolloutOutcome> = {}): Verdict {
  const { message } = failure;
  return proceed('Failed', message, {
    actions: releaseHeld(seen),
    release: 'retry',
    failed: failure,
    events: [{ type: 'Warning', reason: 'UpgradeFailed', note: message }],
    ...rest,
  });
}

/** Lets every held member go, as the upgrade has failed. */
export const releaseHeld = (seen: RolloutObservation): RolloutOutcome['actions'] =>
  seen.members.filter(({ held }) => held).map((member) => release(member, 'the upgrade has failed', seen));
