import { CelError } from '../values/error.ts';
import { Duration, Timestamp } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import { method } from './callee.ts';
import type { Library, Named } from './callee.ts';

/** Milliseconds that local time is ahead of UTC; zones are IANA names or `+01:00`. */
function zoneOffset(at: number, zone: string): number {
  const fixed = /^([+-]?)(\d{2}):(\d{2})$/.exec(zone);
  if (fixed !== null) return (fixed[1] === '-' ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3])) * 60_000;
  if (zone === 'UTC' || zone === '') return 0;
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    }).formatToParts(at);
    const part = (type: string): number => Number(parts.find((each) => each.type === type)?.value);
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
    return local - Math.floor(at / 1000) * 1000;
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
}

function dayOfYear(date: Date): number {
  return Math.round(
    (Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()) - Date.UTC(date.getUTCFullYear(), 0, 1)) /
      86_400_000,
  );
}

/** A part of a time in a zone; for durations the whole duration in the unit. */
function part(ofDate: (date: Date) => number, unit?: bigint): Named {
  return method(
    [1, 2],
    (target: Value | undefined, zone: Value | undefined) => {
      if (target instanceof Duration && zone === undefined && unit !== undefined) return target.nanoseconds / unit;
      if (!(target instanceof Timestamp) || (zone !== undefined && typeof zone !== 'string')) return undefined;
      const rest = ((target.nanoseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
      const at = Number((target.nanoseconds - rest) / 1_000_000n);
      return BigInt(ofDate(new Date(at + zoneOffset(at, zone ?? 'UTC'))));
    },
    'int',
  );
}

/** Parts of times and durations. */
export const times: Library = {
  getFullYear: part((date) => date.getUTCFullYear()),
  getMonth: part((date) => date.getUTCMonth()),
  getDate: part((date) => date.getUTCDate()),
  getDayOfMonth: part((date) => date.getUTCDate() - 1),
  getDayOfWeek: part((date) => date.getUTCDay()),
  getDayOfYear: part(dayOfYear),
  getHours: part((date) => date.getUTCHours(), 3_600_000_000_000n),
  getMinutes: part((date) => date.getUTCMinutes(), 60_000_000_000n),
  getSeconds: part((date) => date.getUTCSeconds(), 1_000_000_000n),
  getMilliseconds: {
    ...method(
      [1, 2],
      (target, zone) => {
        // Of a duration only what is left beside whole seconds counts.
        if (target instanceof Duration) return (target.nanoseconds % 1_000_000_000n) / 1_000_000n;
        return part((date) => date.getUTCMilliseconds()).member?.apply(
          zone === undefined ? [target ?? null] : [target ?? null, zone],
        );
      },
      'int',
    ),
  },
};
