import { isJsonObject } from '../json.ts';
import type { JsonObject, JsonValue } from '../json.ts';

/**
 * Replaces in place halves of surrogate pairs, in values and keys, by U+FFFD. They are no Unicode text; the API server decodes them so
 * (`unquote` of Go's encoding/json).
 */
export function makeWellFormed(value: JsonObject | JsonValue[]): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) value[index] = wellFormed(item);
    return;
  }
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    if (key.isWellFormed()) {
      if (typeof member === 'object' || typeof member === 'string') value[key] = wellFormed(member);
    } else {
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the key gets another spelling
      delete value[key];
      value[key.toWellFormed()] = wellFormed(member);
    }
  }
}

function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed();
  if (Array.isArray(value) || isJsonObject(value)) makeWellFormed(value);
  return value;
}
