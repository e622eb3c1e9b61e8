import { isJsonObject } from '../json.ts';
import type { JsonValue } from '../json.ts';
import { quote } from './go-text.ts';

/** The identity of an item in a list of type map; undefined when a key is absent or no scalar, or there are no keys. */
export function listMapKey(item: JsonValue | undefined, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item) || keys.length === 0) return undefined;
  let identity = '';
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    if (value === undefined || value === null || typeof value === 'object') return undefined;
    identity += `\0${typeof value === 'string' ? quote(value) : String(value)}`;
  }
  return identity;
}
