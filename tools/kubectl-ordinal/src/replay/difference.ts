/** Where two JSON values differ first, and what each has there. */
export interface Difference {
  /** Empty: the whole. */
  readonly path: string;
  readonly recorded: unknown;
  readonly now: unknown;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** The first difference of two JSON values, whatever the order of fields; undefined where they are equal to the byte otherwise. Pure. */
export function firstDifference(recorded: unknown, now: unknown, path = ''): Difference | undefined {
  if (!isObject(recorded) || !isObject(now) || Array.isArray(recorded) !== Array.isArray(now))
    return Object.is(recorded, now) ? undefined : { path, recorded, now };
  for (const name of new Set([...Object.keys(recorded), ...Object.keys(now)].sort())) {
    const found = firstDifference(recorded[name], now[name], path === '' ? name : `${path}.${name}`);
    if (found) return found;
  }
  return undefined;
}
