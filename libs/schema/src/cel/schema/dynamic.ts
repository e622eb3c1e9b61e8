import { asInt64 } from '../../internal/go-text.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import { ArrayList, MapValue } from '../values/value.ts';
import type { Value } from '../values/value.ts';

/** JSON without a schema, as expressions see it: whole numbers are ints, an object is a map with the names that it has. */
export function dynamicValue(json: JsonValue): Value {
  if (typeof json === 'number') return asInt64(json) ?? json;
  if (json === null || typeof json !== 'object') return json;
  if (Array.isArray(json)) return new ArrayList(json.map((item: JsonValue) => dynamicValue(item)));
  return new OpenMap(json as JsonObject); // An object that is no array.
}

/** Values are made when they are asked for: conditions look at little of an object. */
class OpenMap extends MapValue {
  private readonly json: JsonObject;

  constructor(json: JsonObject) {
    super();
    this.json = json;
  }

  override get size(): number {
    return this.keys().length;
  }

  override get(key: Value): Value | undefined {
    const json = typeof key === 'string' && Object.hasOwn(this.json, key) ? this.json[key] : undefined;
    return json === undefined ? undefined : dynamicValue(json);
  }

  override keys(): Value[] {
    return Object.keys(this.json).filter((key) => this.json[key] !== undefined);
  }
}
