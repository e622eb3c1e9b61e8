import { isDate } from '../../internal/format/time.ts';
import { CelError } from './error.ts';
import { Timestamp } from './value.ts';

const rfc3339 = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/;

/** Reads a time by RFC 3339. Throws CelError where Go does not read it. */
export function parseTimestamp(text: string): Timestamp {
  const match = rfc3339.exec(text);
  const [
    ,
    date = '',
    hours = '',
    minutes = '',
    seconds = '',
    digits = '',
    ,
    sign,
    offsetHours = '0',
    offsetMinutes = '0',
  ] = match ?? [];
  if (match === null || !isDate(date) || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) {
    throw new CelError(`parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": cannot parse`);
  }
  const offset = (sign === '-' ? -1 : 1) * (Number(offsetHours) * 60 + Number(offsetMinutes));
  const local = new Date(`${date}T${hours}:${minutes}:${seconds}Z`).getTime();
  if (date < '0001') throw new CelError('timestamp overflow');
  const whole = BigInt(local - offset * 60_000) * 1_000_000n;
  return new Timestamp(whole + BigInt(digits.padEnd(9, '0').slice(0, 9)));
}
