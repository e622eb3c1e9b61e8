import type { Condition } from '@ordinal/client';
import type { StatusWrite } from './decision.ts';

/** The condition that is true while reconciles fail. It is not there otherwise. */
export const reconcileFailed = 'ReconcileFailed';

/** What of a status tells of an error. */
interface Failing {
  readonly processingError?: { readonly reason: string; readonly message: string; readonly since: string };
  readonly conditions?: readonly Condition[];
}

/**
 * A status whose conditions say what its `processingError` says, since when it does, and nothing of it where there is none. Its time stays while it lasts, also where a clock is set back. So a failure that leaves all other conditions as they were, such as a
 * child that is refused below members that serve, is not silent in them. Pure.
 */
export function withFailureCondition(write: StatusWrite): StatusWrite {
  const { processingError, conditions = [] } = write.status as Failing; // Of kinds whose status can tell of errors.
  const others = conditions.filter(({ type }) => type !== reconcileFailed);
  if (processingError === undefined)
    return others.length === conditions.length ? write : { ...write, status: { ...write.status, conditions: others } };
  const { reason, message, since } = processingError;
  const { generation } = write.object.metadata;
  const { conditions: seen = conditions } = (write.object.status ?? {}) as Failing; // Likewise.
  const before = seen.find(({ type, status }) => type === reconcileFailed && status === 'True');
  const condition: Condition = {
    ...{
      type: reconcileFailed,
      status: 'True',
      reason,
      message,
      lastTransitionTime: before?.lastTransitionTime ?? since,
    },
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  return { ...write, status: { ...write.status, conditions: [...others, condition] } };
}
