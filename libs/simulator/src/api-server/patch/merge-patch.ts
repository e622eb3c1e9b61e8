import { isObject, ownField, setField } from '../object.ts';
import type { JsonObject } from '../request.ts';
import { without } from '../kinds/spec.ts';

/** JSON merge patch (RFC 7386). Parts that the patch does not touch are shared with the original. */
export function mergePatch(original: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const removed = Object.keys(patch).filter((key) => patch[key] === null);
  const result: JsonObject = isObject(original) ? { ...without(original, ...removed) } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value !== null) setField(result, key, mergePatch(ownField(result, key), value));
  }
  return result;
}
