import { equal } from '../predicate/predicate.ts';

/**
 * The JSON merge patch (RFC 7396) that makes `after` out of `before`; undefined where they are equal. Members that are absent or undefined in
 * `after` are removed; arrays are replaced whole, as merge patches do.
 */
export function mergePatchBetween(before: unknown, after: unknown): unknown {
  if (equal(before, after)) return undefined;
  if (!isRecord(before) || !isRecord(after)) return after;
  const patch: Record<string, unknown> = {};
  for (const member of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (after[member] === undefined) {
      if (before[member] !== undefined) patch[member] = null;
      continue;
    }
    const inner = mergePatchBetween(before[member], after[member]);
    if (inner !== undefined) patch[member] = inner;
  }
  return patch;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
