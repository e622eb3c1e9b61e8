import { isObject } from '../object.ts';
import type { JsonObject } from '../request.ts';

/** JSON merge patch (RFC 7386). Parts that the patch does not touch are shared with the original. */
export function mergePatch(original: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(original) ? { ...original } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}
