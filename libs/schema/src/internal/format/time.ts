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

const scalaUnits: readonly (readonly [bigint, readonly string[]])[] = [
  [1n, ['ns', 'nano']],
  [1_000n, ['us', 'µs', 'micro']],
  [1_000_000n, ['ms', 'milli']],
  [1_000_000_000n, ['s', 'sec']],
  [60_000_000_000n, ['m', 'min']],
  [3_600_000_000_000n, ['h', 'hr', 'hour']],
  [86_400_000_000_000n, ['d', 'day']],
  [604_800_000_000_000n, ['w', 'wk', 'week']],
];

/** Nanoseconds of a duration that Go reads, or of one in Scala's words such as `3 days`; undefined for other texts. */
export function parseDuration(text: string): bigint | undefined {
  const duration = parseGoDuration(text);
  if (duration !== undefined) return duration;
  let total: bigint | undefined;
  for (const [, factor = '', word = ''] of text.matchAll(/(?<!\d)(\d+)\s*([A-Za-zµ]+)/g)) {
    if (BigInt(factor) > 2n ** 63n - 1n) return undefined;
    const unit = word.toLowerCase();
    for (const [nanoseconds, names] of scalaUnits) {
      if (names.includes(unit) || unit.startsWith(names.at(-1) ?? unit))
        total = (total ?? 0n) + BigInt(factor) * nanoseconds;
    }
  }
  return total;
}

/** True for what {@link parseDuration} reads. */
export function isDuration(text: string): boolean {
  return parseDuration(text) !== undefined;
}
