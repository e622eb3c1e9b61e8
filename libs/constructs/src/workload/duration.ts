const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The milliseconds of a duration as Go writes it: `90s`, `1h30m`, `500ms`. Throws a `RangeError` where it is none. */
export function milliseconds(duration: string): number {
  const parts = [...duration.matchAll(/([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== duration) {
    throw new RangeError(`"${duration}" is no duration: write it like 90s, 15m or 1h30m`);
  }
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? ''] ?? 0), 0);
}
