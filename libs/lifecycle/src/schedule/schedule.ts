import type { Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import { Cron } from 'croner';
import type { ValidationError } from '../validation/index.ts';
import { parseCron } from './cron.ts';

/** When something is done again and again. */
export interface Schedule {
  /** Five fields, or a word such as `@daily` (`parseCron`). */
  readonly cron: string;
  /** The IANA time zone that the fields are read in, such as `Europe/Berlin`; UTC unless given. */
  readonly timeZone?: string;
}

/** The longest until a schedule is looked at again, in milliseconds: a clock may be put right meanwhile. */
export const longestLookMs = 6 * 60 * 60_000;

/** The schedule that a part of a spec, or of a status, has. */
export const scheduleOf = ({ cron, timeZone }: { readonly cron: string; readonly timeZone?: string }): Schedule => ({
  cron,
  ...(timeZone === undefined ? {} : { timeZone }),
});

/** A time of a schedule as a part of a name, to the minute: `20260501T0200Z`. */
export const compactTime = (at: Instant): string => `${timestamp(at).slice(0, 16).replace(/[-:]/g, '')}Z`;

const minuteMs = 60_000;

/** From where the operator looks for it a first time, to tell whether there is any. */
const someday: Instant = Date.UTC(2000, 0, 1);

/** What is wrong with the schedule at this path. Where nothing is, it has a next time whenever it is asked. Pure. */
export function validateSchedule({ cron, timeZone }: Schedule, path: string): readonly ValidationError[] {
  const parsed = parseCron(cron);
  if ('fault' in parsed) return [{ path: `${path}.cron`, message: parsed.fault }];
  if (timeZone !== undefined && zoneOf(timeZone) === undefined) {
    const message = `"${timeZone}" is no time zone: write it like Europe/Berlin or Etc/UTC`;
    return [{ path: `${path}.timeZone`, message }];
  }
  const isNever = nextRun({ cron }, someday) === undefined;
  return isNever ? [{ path: `${path}.cron`, message: 'no date matches it' }] : [];
}

/**
 * The first time of the schedule after this instant; undefined where the schedule is invalid. Pure.
 *
 * **Guarantees.** It is a whole minute. Where a clock goes forward, a time of day that does not exist comes at the first minute that does; one that comes again and again
 * (each half hour) has none in the gap. Where a clock goes back, a time of day comes once, and one that comes again and again at each of the two.
 */
export function nextRun(schedule: Schedule, after: Instant): Instant | undefined {
  // All times are whole minutes.
  const from = new Date(Math.floor(after / minuteMs) * minuteMs);
  return cronOf(schedule)?.nextRuns(1, from)[0]?.getTime();
}

/** The last time of the schedule that is not after this instant; undefined where there is none, or the schedule is invalid. Pure. */
export function lastRun(schedule: Schedule, until: Instant): Instant | undefined {
  const from = new Date((Math.floor(until / minuteMs) + 1) * minuteMs);
  return cronOf(schedule)?.previousRuns(1, from)[0]?.getTime();
}

/** How many times of the schedule lie after one instant and before another, counted to `max`. Pure. */
export function timesBetween(
  schedule: Schedule,
  { after, before, max }: { readonly after: Instant; readonly before: Instant; readonly max: number },
): number {
  const from = new Date(Math.floor(after / minuteMs) * minuteMs);
  const cron = cronOf(schedule);
  // One at a time: a hundred leap days to come would be looked for to see that none was missed.
  let count = 0;
  for (let time = cron?.nextRun(from); time && time.getTime() < before && count < max; count += 1) {
    time = cron?.nextRun(time);
  }
  return count;
}

/** How many times of the schedule there are within a span that begins with one of them, counted to `max`. Pure. */
export function expectedRuns(
  schedule: Schedule,
  { withinMs, max }: { readonly withinMs: number; readonly max: number },
): number {
  const first = nextRun(schedule, someday);
  return first === undefined ? 0 : timesBetween(schedule, { after: first - 1, before: first + withinMs, max });
}

/** The zone as it is officially written; undefined where there is no such one. An offset such as `+02:00` is none. */
function zoneOf(timeZone: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,62}$/.test(timeZone)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Without a name and without a function to call: it keeps no list and no timer. Zones are kept by name, so that they are given as they are officially written. */
function cronOf({ cron, timeZone = 'Etc/UTC' }: Schedule): Cron | undefined {
  const parsed = parseCron(cron);
  const timezone = zoneOf(timeZone);
  if ('fault' in parsed || timezone === undefined) return undefined;
  return new Cron(parsed.expression, { mode: '5-part', timezone });
}
