import { timestamp } from '@ordinal/client';
import { freeze, isObject, setField } from '../object.ts';
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
 * Reads objects into types. The parts of an object (its spec, its status) that it has read before are known by their identity and not read again: most of
 * what is written is a part of what is stored already, and what is stored was read twice before. So that they stay what they were, it freezes them.
 */
export class Reader {
  readonly #defaultsOf: DefaultsOf;
  readonly #known: Known = new WeakMap();

  constructor(defaultsOf: DefaultsOf) {
    this.#defaultsOf = defaultsOf;
  }

  /**
   * What Go makes of JSON when it reads it into a type and writes it again: unknown fields and zero values go, fields that are always written come,
   * quantities and times become canonical, defaults are filled in. Parts that stay the same are shared. Throws `DecodeError`.
   */
  decode(type: TypeNode, value: JsonObject): Decoded {
    const decoder = new Decoder(this.#defaultsOf, this.#known);
    const object = decoder.value(type, value);
    return { object: isObject(object) ? object : {}, unknown: decoder.unknown };
  }
}

/** Frozen parts that came out of a reading, and the form that they were read by. */
type Known = WeakMap<object, MapForm>;

/** Parts are what stands in the fields of an object. To know smaller ones as well would cost more memory than it saves time. */
const partDepth = 1;

class Decoder {
  readonly unknown: string[] = [];
  readonly #defaultsOf: DefaultsOf;
  readonly #known: Known;
  /** Where the walk is: keys, and indices of lists. It becomes text only where something is wrong. */
  readonly #path: (string | number)[] = [];
  /** The struct whose field the walk is in, and how long the path to that field is. */
  #struct: { readonly definition: string; readonly depth: number } | undefined;

  constructor(defaultsOf: DefaultsOf, known: Known) {
    this.#defaultsOf = defaultsOf;
    this.#known = known;
  }

  value(type: TypeNode, value: unknown): unknown {
    if (value === null || value === undefined) return null;
    if (type.scalar && (type.map || type.list)) return value;
    if (type.map) return this.#map(type.map, value);
    if (type.list) return this.#list(type.list, value);
    return this.#scalar(type, value);
  }

  #map(map: MapForm, value: unknown): unknown {
    if (!isObject(value))
      throw this.#mismatch(
        value,
        map.definition === undefined ? 'map[string]string' : `v1.${shortName(map.definition)}`,
      );
    if (map.go === undefined) return this.#plainMap(map, value);
    if (this.#path.length !== partDepth) return this.#fields(map, map.go, value);
    if (this.#known.get(value) === map) return value;
    const result = freeze(this.#fields(map, map.go, value));
    this.#known.set(result, map);
    return result;
  }

  #fields(map: MapForm, go: GoShape, value: JsonObject): JsonObject {
    const defaulted = map.definition === undefined ? value : this.#defaultsOf(map.definition, value);
    const result: JsonObject = {};
    let changed = defaulted !== value;
    const outer = this.#struct;
    this.#struct = { definition: map.definition ?? '', depth: this.#path.length + 1 };
    for (const key in defaulted) {
      const type = map.fields.get(key);
      this.#path.push(key);
      if (type === undefined) {
        this.unknown.push(pathText(this.#path));
        changed = true;
      } else {
        const given = defaulted[key];
        const next = this.#field(go, key, { type, given });
        if (next !== given) changed = true;
        if (next !== undefined) result[key] = next;
      }
      this.#path.pop();
    }
    this.#struct = outer;
    for (const [key] of go.always) {
      const type = map.fields.get(key);
      if (type === undefined || Object.hasOwn(result, key)) continue;
      result[key] = this.#zero(go, key, type);
      changed = true;
    }
    return changed ? result : value;
  }

  /** A field of a struct as Go writes it; undefined where it is left out. */
  #field(go: GoShape, key: string, { type, given }: { type: TypeNode; given: unknown }): unknown {
    const decoded = this.value(type, given);
    const always = go.always.has(key);
    if (decoded === null) return always ? this.#zero(go, key, type) : undefined;
    return isZero(type, decoded) && !go.keep.has(key) && !always ? undefined : decoded;
  }

  #plainMap(map: MapForm, value: JsonObject): JsonObject {
    const result: JsonObject = {};
    let changed = false;
    for (const key in value) {
      const type = map.fields.get(key) ?? map.element;
      this.#path.push(key);
      if (type === undefined) {
        this.unknown.push(pathText(this.#path));
        changed = true;
      } else {
        const decoded = this.value(type, value[key]);
        // A null entry of a map of strings is an empty string.
        const entry = decoded === null && type.scalar === 'string' && !type.map ? '' : decoded;
        setField(result, key, entry);
        if (entry !== value[key]) changed = true;
      }
      this.#path.pop();
    }
    return changed ? result : value;
  }

  #list(list: ListForm, value: unknown): unknown {
    if (!Array.isArray(value)) throw this.#mismatch(value, `[]${elementName(list.element)}`);
    let changed = false;
    const result = value.map((item: unknown, index) => {
      this.#path.push(index);
      const decoded = this.value(list.element, item);
      this.#path.pop();
      if (decoded !== item) changed = true;
      return decoded;
    });
    return changed ? result : value;
  }

  #scalar(type: TypeNode, value: unknown): unknown {
    switch (type.scalar) {
      case 'string':
        if (typeof value !== 'string') throw this.#mismatch(value, 'string');
        return value;
      case 'integer':
      case 'number':
        if (typeof value !== 'number') throw this.#mismatch(value, goNames[type.scalar] ?? '');
        return value;
      case 'boolean':
        if (typeof value !== 'boolean') throw this.#mismatch(value, 'bool');
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

  #zero(go: GoShape, key: string, type: TypeNode): unknown {
    switch (go.always.get(key)) {
      case 'string':
        return '';
      case 'number':
        return 0;
      case 'boolean':
        return false;
      case 'object':
        return this.value(type, {});
      default:
        return null;
    }
  }

  /** The error for a value of another type. It names the struct field as Go does: `StatefulSetSpec.spec.replicas`. */
  #mismatch(value: unknown, expected: string): DecodeError {
    const struct =
      this.#struct &&
      `${shortName(this.#struct.definition)}.${this.#path
        .slice(0, this.#struct.depth)
        .filter((step) => typeof step === 'string')
        .join('.')}`;
    return new DecodeError(
      `json: cannot unmarshal ${jsonTypeOf(value)} into Go struct field ${struct ?? ''} of type ${expected}`,
    );
  }
}

/** A place as unknown fields are named: `spec.containers[0].image`. */
const pathText = (path: readonly (string | number)[]): string =>
  path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  );

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
  return timestamp(instant);
}

function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
