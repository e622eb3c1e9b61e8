/** The values of one field of a schedule. */
export interface CronField {
  readonly values: ReadonlySet<number>;
  /** Whether it says nothing: `*` or `?`. */
  readonly any: boolean;
}

/** Which values a field may have, with their names in order. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

/** Why a schedule is none, in the words of the library that Kubernetes uses. */
export class ScheduleError extends Error {}

/** The fields of a schedule, in their order: minute, hour, day of the month, month, day of the week. */
export const bounds: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

/** Reads a field such as `1,10-20/5`. */
export function fieldOf(text: string, limits: Bounds): CronField {
  const values = new Set<number>();
  let any = false;
  for (const range of text.split(',').filter((part) => part !== '')) {
    const { start, end, step, star } = rangeOf(range, limits);
    for (let value = start; value <= end; value += step) values.add(value);
    any ||= star && step === 1;
  }
  return { values, any };
}

function rangeOf(
  text: string,
  limits: Bounds,
): { readonly start: number; readonly end: number; readonly step: number; readonly star: boolean } {
  const [range = '', stepText, ...more] = text.split('/');
  const [low = '', high, ...others] = range.split('-');
  const star = low === '*' || low === '?';
  const start = star ? limits.min : numberOf(low, limits);
  if (!star && others.length > 0) throw new ScheduleError(`too many hyphens: ${text}`);
  if (more.length > 0) throw new ScheduleError(`too many slashes: ${text}`);
  let end = star ? limits.max : high === undefined ? start : numberOf(high, limits);
  const step = stepText === undefined ? 1 : plainNumber(stepText);
  // A single number with a step is the beginning of a range that goes on to the end.
  if (stepText !== undefined && high === undefined) end = limits.max;
  const { min, max } = limits;
  if (start < min) throw new ScheduleError(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) throw new ScheduleError(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) throw new ScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new ScheduleError(`step of range should be a positive number: ${text}`);
  return { start, end, step, star };
}

function numberOf(text: string, { min, names = [] }: Bounds): number {
  const named = names.indexOf(text.toLowerCase());
  return named < 0 ? plainNumber(text) : named + min;
}

function plainNumber(text: string): number {
  const number = Number(text);
  const mistake = !/^[+-]?\d+$/.test(text)
    ? 'invalid syntax'
    : Math.abs(number) >= 2 ** 63
      ? 'value out of range'
      : undefined;
  if (mistake !== undefined)
    throw new ScheduleError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${mistake}`,
    );
  if (number < 0) throw new ScheduleError(`negative number (${number}) not allowed: ${text}`);
  return number;
}
