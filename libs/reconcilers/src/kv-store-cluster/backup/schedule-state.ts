import type { KVStoreClusterSpecBackupSchedule, KVStoreClusterStatus } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { instantOf, timestamp } from '@ordinal/client';
import { scheduleOf } from '@ordinal/lifecycle';

/** How far the schedule has come, as the status has it. */
export type ScheduleState = NonNullable<KVStoreClusterStatus['backupSchedule']>;

/**
 * The state that a decision begins with. The times of a schedule count from when it is set, changed, or not suspended any more: what passed before is not made
 * up for.
 */
export function stateAtStart(
  before: ScheduleState | undefined,
  spec: KVStoreClusterSpecBackupSchedule,
  now: Instant,
): ScheduleState {
  const isSuspended = spec.suspend === true;
  const isSame = before?.cron === spec.cron && before.timeZone === spec.timeZone;
  const goesOn = isSame && before.suspended !== true;
  const { blockedBy: _blockedBy, nextAt: _nextAt, suspended: _suspended, ...rest } = before ?? {};
  return {
    ...rest,
    ...scheduleOf(spec),
    since: goesOn || (isSame && isSuspended) ? before.since : timestamp(now),
    ...(isSuspended ? { suspended: true } : {}),
  };
}

/** Until when the times of the schedule are settled. */
export function settledUntil({ since, lastScheduledAt, lastMissedAt }: ScheduleState): Instant {
  return Math.max(...[since, lastScheduledAt, lastMissedAt].map((time) => instantOf(time) ?? 0));
}

/** The state without times that a clock which was ahead has settled: they are still to come. */
export function withoutTimesAhead(state: ScheduleState, now: Instant): ScheduleState {
  const { lastScheduledAt, lastMissedAt, missedBecause: _because, ...rest } = state;
  const isPast = (time: string | undefined): boolean => (instantOf(time) ?? Infinity) <= now;
  return {
    ...rest,
    since: timestamp(now),
    ...(isPast(lastScheduledAt) ? { lastScheduledAt: lastScheduledAt ?? '' } : {}),
    ...(isPast(lastMissedAt) ? { lastMissedAt: lastMissedAt ?? '' } : {}),
  };
}
