const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The longest duration that a spec may ask for, a year, in milliseconds. Of much longer ones no date holds the end. */
export const longestDurationMs = 365 * 24 * 3_600_000;

/** As it is written; undefined where it is none. */
function parsed(duration: string): number | undefined {
  const part = /([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)/y;
  let sum = 0;
  let end = 0;
  for (let found = part.exec(duration); found !== null; found = part.exec(duration)) {
    sum += Number(found[1]) * (units[found[2] ?? ''] ?? 0);
    end = part.lastIndex;
  }
  return end > 0 && end === duration.length ? sum : undefined;
}

/** What is wrong with a duration, for its author; undefined where nothing is. */
export function durationFault(duration: string): string | undefined {
  const wanted = parsed(duration);
  if (wanted === undefined) return `"${duration}" is no duration: write it like 90s, 15m or 1h30m`;
  return wanted > longestDurationMs ? `"${duration}" is longer than a year (8760h)` : undefined;
}

/**
 * The milliseconds of a duration as Go writes it: `90s`, `1h30m`, `500ms`; of a longer one than a year, a year, so that its end is a date and what an invalid spec asks
 * for can still be cleaned up. Throws a `RangeError` where it is none.
 */
export function milliseconds(duration: string): number {
  const wanted = parsed(duration);
  if (wanted === undefined) throw new RangeError(durationFault(duration));
  return Math.min(wanted, longestDurationMs);
}

/** A duration of a spec in milliseconds, or the default where there is none, or none that can be read: a spec that is invalid is reported, and not followed. */
export function durationOf(text: string | undefined, defaultMs: number): number {
  const wanted = text === undefined ? undefined : parsed(text);
  return wanted === undefined ? defaultMs : Math.min(wanted, longestDurationMs);
}
