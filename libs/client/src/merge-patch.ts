import { sameJson } from './same-json.ts';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The merge patch (RFC 7396) that turns `from` into `to`: null for what goes, lists whole. Undefined where they are the same, so that nothing is
 * written when nothing has changed. A `from` that is no object counts as an empty one.
 */
export function mergePatch(from: unknown, to: object): Readonly<Record<string, unknown>> | undefined {
  const before = isRecord(from) ? from : {};
  const after = to as Readonly<Record<string, unknown>>; // An object's own keys are all that is read of it.
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, wanted] = [before[key], after[key]];
    if (sameJson(was, wanted)) continue;
    if (wanted === undefined) patch[key] = null;
    else patch[key] = isRecord(was) && isRecord(wanted) ? mergePatch(was, wanted) : wanted;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
