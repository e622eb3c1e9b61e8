import type { Instant } from '@ordinal/client';
import type { CronField } from './fields.ts';
import { bounds, fieldOf, ScheduleError } from './fields.ts';

/** When something is due, again and again. */
export interface Schedule {
  /** The first time after this one; undefined where there is none within five years. */
  next(after: Instant): Instant | undefined;
}

const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** Reads a schedule as Kubernetes does: five fields, or a word such as `@hourly`. Throws a `ScheduleError` where it is none. */
export function parseSchedule(text: string, timeZone = 'UTC'): Schedule {
  if (text === '') throw new ScheduleError('empty spec string');
  const zoned = /^(?:CRON_)?TZ=(\S*)\s+(.*)$/s.exec(text);
  if (zoned !== null) {
    const [, zone = '', rest = ''] = zoned;
    if (!isTimeZone(zone)) throw new ScheduleError(`provided bad location ${zone}: unknown time zone ${zone}`);
    return parseSchedule(rest.trim(), zone);
  }
  if (text.startsWith('@every ')) return every(text);
  const known = descriptors[text];
  if (text.startsWith('@') && known === undefined) throw new ScheduleError(`unrecognized descriptor: ${text}`);
  const fields = (known ?? text).split(/\s+/).filter((field) => field !== '');
  if (fields.length !== bounds.length)
    throw new ScheduleError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`);
  // There are as many as there are bounds.
  const [minute, hour, day, month, weekDay] = bounds.map((limits, index) => fieldOf(fields[index] ?? '', limits)) as [
    CronField,
    CronField,
    CronField,
    CronField,
    CronField,
  ];
  return calendar({ minute, hour, day, month, weekDay, timeZone });
}

/** Whether a time zone is known. */
export function isTimeZone(name: string): boolean {
  try {
    if (name !== '') new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const unitsMs: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function every(text: string): Schedule {
  const duration = text.slice('@every '.length);
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ns|us|ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== duration)
    throw new ScheduleError(`failed to parse duration ${text}: time: ${durationMistake(duration)}`);
  const ms = parts.reduce((sum, [, amount, unit = 's']) => sum + Number(amount) * (unitsMs[unit] ?? 0), 0);
  const seconds = Math.max(1, Math.floor(ms / 1000));
  return { next: (after) => (Math.floor(after / 1000) + seconds) * 1000 };
}

const durationMistake = (text: string): string =>
  /^\d+(\.\d+)?([a-z]+\d+(\.\d+)?)*$/.test(text)
    ? `missing unit in duration ${JSON.stringify(text)}`
    : `invalid duration ${JSON.stringify(text)}`;

interface Calendar {
  readonly minute: CronField;
  readonly hour: CronField;
  readonly day: CronField;
  readonly month: CronField;
  readonly weekDay: CronField;
  readonly timeZone: string;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const longestYears = 5;

function calendar(fields: Calendar): Schedule {
  const offset = offsetsOf(fields.timeZone);
  return {
    next(after) {
      // The time that clocks of the zone show, counted as if it were UTC.
      let local = (Math.floor((after + offset(after)) / minuteMs) + 1) * minuteMs;
      const last = new Date(local).getUTCFullYear() + longestYears;
      while (new Date(local).getUTCFullYear() <= last) {
        const step = stepFrom(fields, local);
        if (step > 0) {
          local += step;
          continue;
        }
        const instant = local - offset(local - offset(local));
        // A time that the clocks leave out is none.
        if (instant + offset(instant) === local && instant > after) return instant;
        local += minuteMs;
      }
      return undefined;
    },
  };
}

/** How far it is to the next time that may be one; 0 where this is one. */
function stepFrom({ minute, hour, day, month, weekDay }: Calendar, local: number): number {
  const date = new Date(local);
  const dayMatches = day.values.has(date.getUTCDate());
  const weekDayMatches = weekDay.values.has(date.getUTCDay());
  // Where both are given, one of the two is enough.
  const isDay = day.any || weekDay.any ? dayMatches && weekDayMatches : dayMatches || weekDayMatches;
  if (!month.values.has(date.getUTCMonth() + 1) || !isDay) return dayMs - (local % dayMs);
  if (!hour.values.has(date.getUTCHours())) return hourMs - (local % hourMs);
  return minute.values.has(date.getUTCMinutes()) ? 0 : minuteMs;
}

/** How far the clocks of a zone are ahead of UTC, at an instant. */
function offsetsOf(timeZone: string): (at: Instant) => number {
  if (timeZone === '' || timeZone === 'UTC') return () => 0;
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
  };
}
