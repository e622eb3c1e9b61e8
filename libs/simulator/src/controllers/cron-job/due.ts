import type { Instant } from '@ordinal/client';
import type { CronJob } from 'kubernetes-types/batch/v1.js';
import type { Schedule } from '../../cron/schedule.ts';
import type { Live } from '../kinds.ts';

/** What a schedule says of a CronJob at a time. */
export interface Due {
  /** The latest time at which a Job was due and not made; undefined where there is none. */
  readonly latest: Instant | undefined;
  /** About how many times were missed. */
  readonly missed: number;
  /** Since when times count. */
  readonly since: Instant;
}

/** A schedule whose times are no times. */
export class ImpossibleSchedule extends Error {}

/** Which times have passed since the last Job, or since the CronJob was made. With its deadline, those that are too long ago do not count. */
export function dueTimes(
  cron: Live<CronJob>,
  schedule: Schedule,
  { now, withDeadline }: { readonly now: Instant; readonly withDeadline: boolean },
): Due {
  const { startingDeadlineSeconds } = cron.spec ?? {};
  const last = Date.parse(cron.status?.lastScheduleTime ?? cron.metadata.creationTimestamp);
  const deadline = withDeadline && startingDeadlineSeconds !== undefined ? now - startingDeadlineSeconds * 1000 : last;
  const since = Math.max(last, deadline);
  const first = schedule.next(since);
  const second = first === undefined ? undefined : schedule.next(first);
  if (first === undefined || second === undefined)
    throw new ImpossibleSchedule('time difference between two schedules is less than 1 second');
  if (now < first) return { latest: undefined, missed: 0, since };
  if (now < second) return { latest: first, missed: 0, since };
  const period = Math.round((second - first) / 1000) * 1000;
  const missed = Math.floor((now - first) / period) + 1;
  let latest: Instant | undefined;
  // From shortly before the last of them, so that a schedule with gaps finds its own times.
  for (let at = schedule.next(first + (missed - 2) * period); at !== undefined && at <= now; at = schedule.next(at))
    latest = at;
  return { latest, missed, since };
}

/** After how many milliseconds a CronJob is to be looked at again. A tenth of a second is added, for clocks that differ. */
export function nextLookMs(cron: Live<CronJob>, schedule: Schedule, now: Instant): number | undefined {
  const { latest, missed, since } = dueTimes(cron, schedule, { now, withDeadline: false });
  const next = schedule.next(latest ?? (missed === 0 ? since : now));
  return next === undefined ? undefined : Math.max(0, next + 100 - now);
}
