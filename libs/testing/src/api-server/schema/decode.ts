import { isObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import { canonicalQuantity } from './quantity.ts';
import type { GoShape, ListForm, MapForm, TypeNode } from './type-node.ts';

/** Fills in what a value of a definition leaves out. Gives back the value itself where nothing is missing. */
export type DefaultsOf = (definition: string, value: JsonObject) => JsonObject;

/** A value that is not of its type, and what the server says about it. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** A decoded object, and the paths of fields that are not known. */
export interface Decoded {
  readonly object: JsonObject;
  readonly unknown: readonly string[];
}

/**
 * What Go makes of JSON when it reads it into a type and writes it again: unknown fields and zero values go, fields that are always written come,
 * quantities and times become canonical, defaults are filled in. Parts that stay as they are are shared. Throws `DecodeError`.
 */
export function decode(type: TypeNode, value: JsonObject, defaultsOf: DefaultsOf): Decoded {
  const decoder = new Decoder(defaultsOf);
  const object = decoder.value(type, value, { path: '', struct: '' });
  return { object: isObject(object) ? object : {}, unknown: decoder.unknown };
}

interface Place {
  readonly path: string;
  /** How Go names the struct field in errors: `StatefulSetSpec.spec.replicas`. */
  readonly struct: string;
}

class Decoder {
  readonly unknown: string[] = [];
  readonly #defaultsOf: DefaultsOf;

  constructor(defaultsOf: DefaultsOf) {
    this.#defaultsOf = defaultsOf;
  }

  value(type: TypeNode, value: unknown, place: Place): unknown {
    if (value === null || value === undefined) return null;
    if (type.scalar && (type.map || type.list)) return value;
    if (type.map) return this.#map(type.map, value, place);
    if (type.list) return this.#list(type.list, value, place);
    return scalar(type, value, place);
  }

  #map(map: MapForm, value: unknown, place: Place): unknown {
    if (!isObject(value))
      throw mismatch(
        value,
        place,
        map.definition === undefined ? 'map[string]string' : `v1.${shortName(map.definition)}`,
      );
    if (map.go === undefined) return this.#plainMap(map, value, place);
    const defaulted = map.definition === undefined ? value : this.#defaultsOf(map.definition, value);
    const result: JsonObject = {};
    let changed = defaulted !== value;
    for (const key in defaulted) {
      const type = map.fields.get(key);
      const path = place.path === '' ? key : `${place.path}.${key}`;
      if (type === undefined) {
        this.unknown.push(path);
        changed = true;
        continue;
      }
      const given = defaulted[key];
      const next = this.#field(map.go, key, { type, given, place: { path, struct: structPath(map, path) } });
      if (next !== given) changed = true;
      if (next !== undefined) result[key] = next;
    }
    for (const [key] of map.go.always) {
      const type = map.fields.get(key);
      if (type === undefined || key in result) continue;
      result[key] = this.#zero(map.go, key, type);
      changed = true;
    }
    return changed ? result : value;
  }

  /** A field of a struct as Go writes it; undefined where it is left out. */
  #field(go: GoShape, key: string, { type, given, place }: { type: TypeNode; given: unknown; place: Place }): unknown {
    const decoded = this.value(type, given, place);
    const always = go.always.has(key);
    if (decoded === null) return always ? this.#zero(go, key, type) : undefined;
    return isZero(type, decoded) && !go.keep.has(key) && !always ? undefined : decoded;
  }

  #plainMap(map: MapForm, value: JsonObject, place: Place): JsonObject {
    const result: JsonObject = {};
    let changed = false;
    for (const key in value) {
      const type = map.fields.get(key) ?? map.element;
      if (type === undefined) {
        this.unknown.push(place.path === '' ? key : `${place.path}.${key}`);
        changed = true;
        continue;
      }
      const decoded = this.value(type, value[key], { path: `${place.path}.${key}`, struct: place.struct });
      // A null entry of a map of strings is an empty string.
      result[key] = decoded === null && type.scalar === 'string' && !type.map ? '' : decoded;
      if (result[key] !== value[key]) changed = true;
    }
    return changed ? result : value;
  }

  #list(list: ListForm, value: unknown, place: Place): unknown {
    if (!Array.isArray(value)) throw mismatch(value, place, `[]${elementName(list.element)}`);
    let changed = false;
    const result = value.map((item: unknown, index) => {
      const decoded = this.value(list.element, item, { path: `${place.path}[${index}]`, struct: place.struct });
      if (decoded !== item) changed = true;
      return decoded;
    });
    return changed ? result : value;
  }

  #zero(go: GoShape, key: string, type: TypeNode): unknown {
    switch (go.always.get(key)) {
      case 'string':
        return '';
      case 'number':
        return 0;
      case 'boolean':
        return false;
      case 'object':
        return this.value(type, {}, { path: '', struct: '' });
      default:
        return null;
    }
  }
}

/** A field's place in Go's words. */
const structPath = (map: MapForm, path: string): string =>
  `${shortName(map.definition ?? '')}.${path.replaceAll(/\[\d+\]/g, '')}`;

const shortName = (definition: string): string => definition.slice(definition.lastIndexOf('.') + 1);

function elementName(type: TypeNode): string {
  if (type.map?.definition !== undefined) return `v1.${shortName(type.map.definition)}`;
  return type.scalar ?? 'string';
}

function isZero(type: TypeNode, value: unknown): boolean {
  if (value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (!isObject(value) || type.map === undefined) return false;
  // Structs that are written when they are empty were marked so; a map without entries is nothing.
  for (const _ in value) return false;
  return true;
}

const goNames: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'int32',
  number: 'float64',
  boolean: 'bool',
};

function scalar(type: TypeNode, value: unknown, place: Place): unknown {
  switch (type.scalar) {
    case 'string':
      if (typeof value !== 'string') throw mismatch(value, place, 'string');
      return value;
    case 'integer':
    case 'number':
      if (typeof value !== 'number') throw mismatch(value, place, goNames[type.scalar] ?? '');
      return value;
    case 'boolean':
      if (typeof value !== 'boolean') throw mismatch(value, place, 'bool');
      return value;
    case 'quantity':
      return quantity(value);
    case 'time':
      return time(value);
    case 'micro-time':
      return microTime(value);
    default:
      return value;
  }
}

function quantity(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  const canonical = typeof text === 'string' ? canonicalQuantity(text) : undefined;
  if (canonical === undefined)
    throw new DecodeError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  return canonical;
}

function microTime(value: unknown): unknown {
  const match = typeof value === 'string' ? /^(.{19})(.*)$/.exec(value) : undefined;
  if (!match || /^\.\d{6}(?:Z|[+-]\d\d:\d\d)$/.test(match[2] ?? '')) return value;
  throw new DecodeError(
    `parsing time "${String(value)}" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "${match[2] ?? ''}" as ".000000"`,
  );
}

function time(value: unknown): unknown {
  if (typeof value !== 'string' || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)) return value;
  const instant = Date.parse(value);
  if (Number.isNaN(instant))
    throw new DecodeError(`parsing time "${value}" as "2006-01-02T15:04:05Z07:00": cannot parse "${value}" as "2006"`);
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}

function mismatch(value: unknown, { struct }: Place, expected: string): DecodeError {
  const found = Array.isArray(value)
    ? 'array'
    : value === null
      ? 'null'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value;
  return new DecodeError(`json: cannot unmarshal ${found} into Go struct field ${struct} of type ${expected}`);
}
