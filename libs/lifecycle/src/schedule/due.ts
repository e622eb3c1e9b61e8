import type { Instant } from '@ordinal/client';
import type { Schedule } from './schedule.ts';
import { lastRun, nextRun, timesBetween } from './schedule.ts';

/** What a schedule is asked with. */
export interface ScheduleInputs {
  /** Until when, inclusive, the times of the schedule are settled: begun, missed, or before it counted. */
  readonly settled: Instant;
  readonly now: Instant;
  /** How late a run may begin, in milliseconds; unless given, half of the time from one run to the next. */
  readonly deadlineMs?: number;
}

/** What a schedule asks for. */
export interface DueRun {
  /** The time whose run may begin now: the newest that is not settled, where it is not too late for it. */
  readonly due?: Instant;
  /** The newest time that is not settled and for which it is too late. */
  readonly missed?: Instant;
  /** How many times are passed over beside the newest, counted to a hundred. */
  readonly passedOver: number;
  /** Until when the run that is due may begin. */
  readonly beginsUntil?: Instant;
  /** The next time of the schedule: when to look again. */
  readonly next?: Instant;
  /** The recorded time is more than one run ahead of `now`: the clock was wrong when it was recorded. Nothing is due before that time comes, unless the caller records `now` as settled. */
  readonly clockWasAhead: boolean;
}

/** How far times that are passed over are counted. */
const countedTimes = 100;

/**
 * What a schedule asks for now. Pure.
 *
 * **Guarantees.** At most one time is due: what was missed before the newest is not made up for, however many there are. A time that is settled is never due again, so that a
 * clock that is set back begins nothing twice. Where nothing is due or missed, nothing is before `next`.
 *
 * **Assumptions.** Who begins a run, or sees that it was missed, records its time as settled.
 */
export function dueRun(schedule: Schedule, { settled, now, deadlineMs }: ScheduleInputs): DueRun {
  const next = nextRun(schedule, Math.max(now, settled));
  const ahead = { ...(next === undefined ? {} : { next }), clockWasAhead: isFarAhead(schedule, settled, now) };
  const newest = lastRun(schedule, now);
  if (newest === undefined || newest <= settled) return { passedOver: 0, ...ahead };
  const passedOver = timesBetween(schedule, { after: settled, before: newest, max: countedTimes });
  const beginsUntil = latestStart(schedule, newest, deadlineMs);
  return now <= beginsUntil
    ? { due: newest, beginsUntil, passedOver, ...ahead }
    : { missed: newest, passedOver, ...ahead };
}

/** One run may be ahead of a clock that was set back since; two are so only where the clock was wrong when they began. */
function isFarAhead(schedule: Schedule, settled: Instant, now: Instant): boolean {
  return settled > now && timesBetween(schedule, { after: now, before: settled, max: 1 }) > 0;
}

/** Until when the run of a time may begin: `deadlineMs` after it or, where that is undefined, half of the time to the next. Pure. */
export const latestStart = (schedule: Schedule, run: Instant, deadlineMs: number | undefined): Instant =>
  run + (deadlineMs ?? defaultDeadlineMs(schedule, run));

/** Half of the time from a run to the next, in milliseconds: what comes later is nearer to the next one. */
function defaultDeadlineMs(schedule: Schedule, run: Instant): number {
  const after = nextRun(schedule, run);
  return after === undefined ? 0 : (after - run) / 2;
}
