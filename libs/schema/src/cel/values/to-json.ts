import type { JsonObject, JsonValue } from '../../json.ts';
import { CelError } from './error.ts';
import { List, MapValue, Uint } from './value.ts';
import type { Value } from './value.ts';

/** A value as JSON. Throws a {@link CelError} for one that JSON has no form for. */
export function toJson(value: Value): JsonValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number')
    return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (value instanceof List) return value.items().map(toJson);
  if (value instanceof MapValue) return fromMap(value);
  throw new CelError('the value has no form in JSON');
}

function fromMap(map: MapValue): JsonObject {
  return Object.fromEntries(
    map.keys().map((key) => {
      const value = map.get(key);
      return [String(key), value === undefined ? null : toJson(value)];
    }),
  );
}
