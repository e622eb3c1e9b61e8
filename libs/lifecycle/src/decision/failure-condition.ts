import type { Condition } from '@ordinal/client';
import { conditionOf, instantOf, withFindings } from '@ordinal/client';
import type { StatusWrite } from './decision.ts';

/** The condition that is true while reconciles fail. It is not there otherwise. */
export const reconcileFailed = 'ReconcileFailed';

/** The part of a status that is about an error. */
interface Failing {
  readonly processingError?: { readonly reason: string; readonly message: string; readonly since: string };
  readonly conditions?: readonly Condition[];
}

/**
 * The status, with the condition `ReconcileFailed` where it has a `processingError`, and without it where it has none: a failure that leaves all other conditions as they
 * were, such as a child that is refused while the members serve, shows in the conditions too. `lastTransitionTime` is that of the condition before, else the error's
 * `since`: it does not move while the failure lasts, also where a clock is set back. Pure.
 */
export function withFailureCondition(write: StatusWrite): StatusWrite {
  const { processingError, conditions = [] } = write.status as Failing; // Of kinds whose status can tell of errors.
  const others = conditions.filter(({ type }) => type !== reconcileFailed);
  if (processingError === undefined)
    return others.length === conditions.length ? write : { ...write, status: { ...write.status, conditions: others } };
  const { reason, message, since } = processingError;
  const before = conditionOf((write.object.status as Failing | undefined)?.conditions, reconcileFailed); // Likewise.
  const at = { now: instantOf(since) ?? 0, generation: write.object.metadata.generation };
  const finding = { type: reconcileFailed, status: 'True', reason, message } as const;
  const shown = withFindings(before && [before], [finding], at);
  return { ...write, status: { ...write.status, conditions: [...others, ...shown] } };
}
