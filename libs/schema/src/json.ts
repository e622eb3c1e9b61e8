/** What JSON can say. `undefined` members are read as absent, as `JSON.stringify` does. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object; members are read as own properties only. */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** True for what JSON calls an object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy that shares nothing with the original. */
export function copyJson<T extends JsonValue>(value: T): T {
  // A copy has the shape of its original.
  return copy(value) as T;
}

function copy(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(copy);
  if (!isJsonObject(value)) return value;
  const object: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== undefined) object[key] = copy(member);
  }
  return object;
}

/** Equal as JSON: order of keys does not matter, order of items does. */
export function equalJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalJson(item, b[i]));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a).filter((key) => a[key] !== undefined);
  if (keys.length !== Object.keys(b).filter((key) => b[key] !== undefined).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key], b[key]));
}
