/** How many members may be unavailable at a time, as a spec says it: a number, or a percentage such as `25%`. */
export type MaxUnavailable = number | string;

/**
 * How many of this many members may be unavailable at a time; 1 where the spec does not say.
 *
 * **Guarantees.** At least 1, or no upgrade would ever go on, and fewer than there are members, where there are several. A percentage is rounded down: never more than were asked for. Pure.
 */
export function maxUnavailableOf(asked: MaxUnavailable | undefined, replicas: number): number {
  const number = typeof asked === 'string' ? Math.floor((Number.parseInt(asked, 10) * replicas) / 100) : (asked ?? 1);
  return Math.max(1, Math.min(number, replicas - 1));
}

/** What is wrong with this for so many members; undefined where nothing is. Pure. */
export const maxUnavailableFault = (asked: MaxUnavailable | undefined, replicas: number): string | undefined =>
  typeof asked === 'number' && asked > 1 && asked >= replicas
    ? `${asked} is not less than the ${replicas} members`
    : undefined;
