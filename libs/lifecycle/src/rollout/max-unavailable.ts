/** How many members may be unavailable at a time, as a spec says it: a number, or a percentage such as `25%`. */
export type MaxUnavailable = number | string;

/**
 * How many of this many members may be unavailable at a time; 1 where the spec does not say.
 *
 * **Guarantees.** At least 1, or no upgrade would ever go on, and fewer than there are members, where there are several, whatever is asked for: a set that is made smaller keeps a spec that is valid. A percentage is rounded down: never more than were asked for. Pure.
 */
export function maxUnavailableOf(asked: MaxUnavailable | undefined, replicas: number): number {
  const number = typeof asked === 'string' ? Math.floor((Number.parseInt(asked, 10) * replicas) / 100) : (asked ?? 1);
  return Math.max(1, Math.min(number, replicas - 1));
}
