import { parseDuration } from '../../internal/format/time.ts';
import { asInt64 } from '../../internal/go-text.ts';
import { equalJson, isJsonObject } from '../../json.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import { CelError } from '../values/error.ts';
import { parseTimestamp } from '../values/timestamp.ts';
import { ArrayList, Duration, equal, List, MapValue, Opaque } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import { escapeName } from './escape.ts';
import type { Shape } from './shape.ts';

/** JSON as rules see it: 5 is an int or a double as the schema says, a date-time is a time, an object has escaped names. */
export function toValue(json: JsonValue, shape: Shape): Value {
  const { node } = shape;
  if (json === null) {
    if (node.nullable) return null;
    throw new CelError('invalid data, got null for schema with nullable=false');
  }
  if (node.intOrString) return intOrString(json);
  switch (node.type) {
    case 'object':
      if (!isJsonObject(json))
        throw new CelError('invalid data, expected a map for the provided schema with type=object');
      return shape.values === undefined ? new ObjectValue(json, shape) : new JsonMap(json, shape.values);
    case 'array':
      if (!Array.isArray(json))
        throw new CelError('invalid data, expected an array for the provided schema with type=array');
      return new JsonList(json, shape);
    case 'string':
      if (typeof json !== 'string') throw new CelError(`invalid data, expected string, got ${typeof json}`);
      return textValue(json, node.format);
    case 'number':
      if (typeof json !== 'number') throw new CelError(`invalid data, expected float, got ${typeof json}`);
      return json;
    case 'integer':
      return wholeValue(json);
    case 'boolean':
      if (typeof json !== 'boolean') throw new CelError(`invalid data, expected bool, got ${typeof json}`);
      return json;
    default:
      return new UnknownValue(json);
  }
}

function wholeValue(json: JsonValue): bigint {
  const whole = typeof json === 'number' ? asInt64(json) : undefined;
  if (whole === undefined)
    throw new CelError(`invalid data, expected int, got ${typeof json === 'number' ? 'float64' : typeof json}`);
  return whole;
}

function intOrString(json: JsonValue): Value {
  if (typeof json === 'string') return json;
  const whole = typeof json === 'number' ? asInt64(json) : undefined;
  if (whole === undefined)
    throw new CelError('invalid data, expected XIntOrString value to be either a string or integer');
  return whole;
}

function textValue(text: string, format: string): Value {
  switch (format) {
    case 'duration': {
      const nanoseconds = parseDuration(text);
      if (nanoseconds === undefined)
        throw new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
      return new Duration(nanoseconds);
    }
    case 'date':
      return parseTimestamp(`${text}T00:00:00Z`);
    case 'date-time':
      // The API server also reads times without a zone, as UTC.
      return parseTimestamp(/[Zz]$|[+-]\d{2}:\d{2}$/.test(text) ? text : `${text}Z`);
    case 'byte': {
      if (!/^[A-Za-z0-9_-]*={0,2}$/.test(text))
        throw new CelError(`Invalid byte formatted string ${text}: illegal base64 data`);
      return Uint8Array.from(Buffer.from(text, 'base64url'));
    }
    default:
      return text;
  }
}

/** Data of which the schema says nothing: it can only be compared. */
class UnknownValue extends Opaque {
  override readonly typeName = 'unknown';
  readonly json: JsonValue;

  constructor(json: JsonValue) {
    super();
    this.json = json;
  }

  override equals(other: Opaque): boolean {
    return other instanceof UnknownValue && equalJson(this.json, other.json);
  }
}

/** An object with properties; what they do not describe can only be compared. */
class ObjectValue extends MapValue {
  private readonly json: JsonObject;
  private readonly shape: Shape;

  constructor(json: JsonObject, shape: Shape) {
    super();
    this.json = json;
    this.shape = shape;
  }

  override get size(): number {
    return this.keys().length;
  }

  override get(key: Value): Value | undefined {
    const field = typeof key === 'string' ? this.shape.fields.get(key) : undefined;
    if (field !== undefined) {
      const json = Object.hasOwn(this.json, field.name) ? this.json[field.name] : undefined;
      return json === undefined ? undefined : toValue(json, field.shape);
    }
    const json = typeof key === 'string' && key.startsWith('\0\0') ? this.json[key.slice(2)] : undefined;
    return json === undefined ? undefined : new UnknownValue(json);
  }

  override keys(): Value[] {
    const byName = new Map([...this.shape.fields].map(([escaped, { name }]) => [name, escaped]));
    return Object.keys(this.json)
      .filter((key) => this.json[key] !== undefined)
      .map((key) => byName.get(key) ?? `\0\0${key}`);
  }
}

/** An object with additionalProperties. */
class JsonMap extends MapValue {
  private readonly json: JsonObject;
  private readonly values: Shape;

  constructor(json: JsonObject, values: Shape) {
    super();
    this.json = json;
    this.values = values;
  }

  override get size(): number {
    return this.keys().length;
  }

  override get(key: Value): Value | undefined {
    const json = typeof key === 'string' && Object.hasOwn(this.json, key) ? this.json[key] : undefined;
    return json === undefined ? undefined : toValue(json, this.values);
  }

  override keys(): Value[] {
    return Object.keys(this.json).filter((key) => this.json[key] !== undefined);
  }
}

/** A list. Of type set or map its order does not matter for `==`, and `+` unites. */
class JsonList extends List {
  private readonly json: readonly JsonValue[];
  private readonly shape: Shape;

  constructor(json: readonly JsonValue[], shape: Shape) {
    super();
    this.json = json;
    this.shape = shape;
  }

  override get size(): number {
    return this.json.length;
  }

  override at(index: number): Value {
    const json = this.json[index];
    const { items } = this.shape;
    if (json === undefined || items === undefined) throw new CelError(`index out of bounds: ${String(index)}`);
    return toValue(json, items);
  }

  override equals(other: List): boolean {
    return this.unordered ? equalUnordered(this, other) : super.equals(other);
  }

  override concat(other: List): List {
    if (!this.unordered) return super.concat(other);
    return unite(this, other, this.shape.node.listType === 'map' ? this.shape.node.listMapKeys : undefined);
  }

  private get unordered(): boolean {
    const { listType } = this.shape.node;
    return listType === 'set' || listType === 'map';
  }
}

/** A list that `+` made of a set or of a list of type map. */
class UnitedList extends ArrayList {
  private readonly mapKeys: readonly string[] | undefined;

  constructor(values: readonly Value[], mapKeys: readonly string[] | undefined) {
    super(values);
    this.mapKeys = mapKeys;
  }

  override equals(other: List): boolean {
    return equalUnordered(this, other);
  }

  override concat(other: List): List {
    return unite(this, other, this.mapKeys);
  }
}

function equalUnordered(list: List, other: List): boolean {
  if (list.size !== other.size) return false;
  const own = list.items();
  return other.items().every((item) => own.some((candidate) => equal(candidate, item)));
}

/** All items of both; of a list of type map, an item of the second takes the place of the one with its keys. */
function unite(list: List, other: List, mapKeys: readonly string[] | undefined): List {
  const united = list.items();
  for (const item of other.items()) {
    const at = united.findIndex((own) => (mapKeys === undefined ? equal(own, item) : sameKeys(own, item, mapKeys)));
    if (at < 0) united.push(item);
    else united[at] = item;
  }
  return new UnitedList(united, mapKeys);
}

function sameKeys(a: Value, b: Value, mapKeys: readonly string[]): boolean {
  if (!(a instanceof MapValue) || !(b instanceof MapValue)) return false;
  return mapKeys.every((key) => {
    const name = escapeName(key) ?? key;
    const left = a.get(name);
    const right = b.get(name);
    return left === undefined || right === undefined ? left === right : equal(left, right);
  });
}
