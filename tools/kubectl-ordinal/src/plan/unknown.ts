import { jobMarks } from '@ordinal/reconcilers';

/** What a plan shows for what only the operator has, or makes when it writes. */
export const unknown = {
  seal: '(sealed when it is written)',
  account: '(the account as the operator calls it)',
  password: '(a new password)',
  login: '(the other login of the database)',
} as const;

/** The version and the UID that an object has after a write of a plan. Writes are counted from 1. */
export const madeBy = (write: number): string => `planned-${write}`;

/** The version of a resource that no API server has yet. */
export const notThere = 'planned';

/** By which write of a plan a version or a UID is made; undefined for one that was read. */
export function writeThatMakes(text: string): number | undefined {
  const [, number] = /^planned-(\d+)$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number);
}

const sealFields: ReadonlySet<string> = new Set(['seal', jobMarks.sealAnnotation]);

/** A body without the seals of a plan, whose key is for that plan alone. Pure. */
export function withoutSeals(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutSeals);
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      sealFields.has(name) && typeof value === 'string' ? unknown.seal : withoutSeals(value),
    ]),
  );
}
