const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** A duration as kubectl shows ages: `45s`, `2m10s`, `3h5m`, `4d`. In milliseconds; what is negative counts as none. */
export function shortDuration(ms: number): string {
  let rest = Math.max(0, Math.floor(ms / 1_000));
  const parts: string[] = [];
  for (const [unit, seconds] of units) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (count > 0) parts.push(`${count}${unit}`);
    if (parts.length === 2 || (unit === 'd' && count > 1)) break;
  }
  return parts.length === 0 ? '0s' : parts.join('');
}
