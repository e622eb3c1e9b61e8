const units = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** A number with its noun: `1 minute`, `15 minutes`. */
const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/**
 * A duration in words, for messages: `40 seconds`, `15 minutes`, `1 hour 30 minutes`. `ms` is in milliseconds and rounded to whole seconds; what is shorter than one second is
 * said in milliseconds.
 */
export function durationText(ms: number): string {
  if (ms < 1000) return counted(Math.round(ms), 'millisecond');
  let rest = Math.round(ms / 1000) * 1000;
  const parts: string[] = [];
  for (const [noun, unitMs] of units) {
    const count = Math.floor(rest / unitMs);
    rest -= count * unitMs;
    if (count > 0) parts.push(counted(count, noun));
  }
  return parts.join(' ');
}

/** How many members are ready of those that there are or should be, and how many are wanted where that is fewer: a set that shrinks has more than it wants. */
export function membersReadyText(members: {
  readonly ready: number;
  readonly present: number;
  readonly wanted: number;
}): string {
  const { ready, present, wanted } = members;
  const max = Math.max(present, wanted);
  const are = `${ready} of ${max} members are ready`;
  return max > wanted ? `${are}, ${wanted} ${wanted === 1 ? 'is' : 'are'} wanted` : are;
}
