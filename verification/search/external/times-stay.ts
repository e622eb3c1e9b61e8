import type { Condition } from '@ordinal/client';

/** What of a record of a thing outside these checks read. */
interface Recorded {
  readonly token: string;
  /** Where it is, should there be several places. */
  readonly endpoint?: string;
  readonly deleteRequestedAt?: string;
}

/** What of a resource these checks read: conditions, and records of what is outside. */
export interface Timed {
  readonly conditions: readonly Condition[] | undefined;
  readonly records: readonly (Recorded | undefined)[];
}

/**
 * Times in a status that have moved although what they record has not begun again (S0.23), in words. A time may move back: an operator whose clock was
 * set back may find that it can't have been later than now.
 */
export function movedTimes(before: Timed, after: Timed): readonly string[] {
  const conditions = (after.conditions ?? []).flatMap(({ type, status, lastTransitionTime: since }) => {
    const was = before.conditions?.find((one) => one.type === type && one.status === status)?.lastTransitionTime;
    return was === undefined || was === since ? [] : [`${type} is ${status} as before, and since ${since} only`];
  });
  const deletions = after.records.flatMap((record) => {
    const was = before.records.find(
      (one) => one?.token === record?.token && one?.endpoint === record?.endpoint,
    )?.deleteRequestedAt;
    const is = record?.deleteRequestedAt;
    if (was === undefined || is === undefined || Date.parse(is) <= Date.parse(was)) return [];
    return [`the deletion that was asked for at ${was} was asked for at ${is} now`];
  });
  return [...conditions, ...deletions];
}
