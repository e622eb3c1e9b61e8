import { parseGoDuration } from '../go-duration.ts';

const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A day that exists, as `2006-01-02`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  if (month < 1 || month > 12 || day < 1 || day > (monthDays[month - 1] ?? 0)) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month !== 2 || day !== 29 || leap;
}

/** A date and time by RFC 3339, as loosely as `strfmt.IsDateTime` reads it. */
export function isDateTime(text: string): boolean {
  const parts = text.toLowerCase().split('t');
  if (!isDate(parts[0] ?? '')) return false;
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})([^\n][0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/.exec(parts[1] ?? '');
  return match !== null && (match[1] ?? '') <= '23' && (match[2] ?? '') <= '59' && (match[3] ?? '') <= '59';
}

const scalaUnits = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
];

/** A duration that Go reads, or one in Scala's words such as `3 days`. */
export function isDuration(text: string): boolean {
  if (parseGoDuration(text) !== undefined) return true;
  let found = false;
  for (const [, factor = '', word = ''] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    if (BigInt(factor) > 2n ** 63n - 1n) return false;
    const unit = word.toLowerCase();
    found ||= scalaUnits.some((names) => names.includes(unit) || unit.startsWith(names.at(-1) ?? unit));
  }
  return found;
}
