import { CelError, noSuchOverload } from './error.ts';

/** An unsigned integer. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A span of time in nanoseconds. */
export class Duration {
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds;
  }
}

/** A point in time, in nanoseconds since 1970 in UTC. */
export class Timestamp {
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds;
  }
}

/** The type of a value, as `type()` gives it. */
export class TypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A value that may be there; `undefined` is none. */
export class Optional {
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** A list; items are made when they are asked for. */
export abstract class List {
  /** How many items. */
  abstract readonly size: number;

  /** The item at the index. Throws where there is none. */
  abstract at(index: number): Value;

  /** All items, in order. */
  items(): Value[] {
    return Array.from({ length: this.size }, (_, i) => this.at(i));
  }

  /** Equal as `==` means it; lists of type set and map do not look at the order. */
  equals(other: List): boolean {
    if (this.size !== other.size) return false;
    for (let i = 0; i < this.size; i++) if (!equal(this.at(i), other.at(i))) return false;
    return true;
  }

  /** This list and then the other, or what the list's type makes of `+`. */
  concat(other: List): List {
    return new ArrayList([...this.items(), ...other.items()]);
  }
}

/** A list of values that are there already. */
export class ArrayList extends List {
  private readonly values: readonly Value[];

  constructor(values: readonly Value[]) {
    super();
    this.values = values;
  }

  /** How many items. */
  override get size(): number {
    return this.values.length;
  }

  /** The item at the index. Throws where there is none. */
  override at(index: number): Value {
    const value = this.values[index];
    if (value === undefined) throw new CelError(`index out of bounds: ${String(index)}`);
    return value;
  }

  /** All items, in order. */
  override items(): Value[] {
    return [...this.values];
  }
}

/** A map, or an object, whose fields are keys. */
export abstract class MapValue {
  /** How many entries. */
  abstract readonly size: number;

  /** The value of a key; undefined where it is not there. */
  abstract get(key: Value): Value | undefined;

  /** All keys. */
  abstract keys(): Value[];
}

/** A map with entries that are there already; keys are distinguished by {@link keyText}. */
export class EntryMap extends MapValue {
  private readonly entries = new Map<string, readonly [Value, Value]>();

  /** Adds an entry. Throws when the key is there already. */
  add(key: Value, value: Value): void {
    if (typeof key === 'number') throw new CelError(`unsupported key type: ${typeName(key)}`);
    const text = keyText(key);
    if (this.entries.has(text)) throw new CelError(`insert failed: key ${display(key)} already exists`);
    this.entries.set(text, [key, value]);
  }

  /** How many entries. */
  override get size(): number {
    return this.entries.size;
  }

  /** The value of a key; undefined where it is not there. */
  override get(key: Value): Value | undefined {
    return this.entries.get(keyText(key))?.[1];
  }

  /** All keys, in the order they were added. */
  override keys(): Value[] {
    return [...this.entries.values()].map(([key]) => key);
  }
}

/** A value of a type that Kubernetes adds: quantity, URL, address, network, format, version. */
export abstract class Opaque {
  /** The name of the type. */
  abstract readonly typeName: string;

  /** Equal to another of the same type. */
  abstract equals(other: Opaque): boolean;

  /** What its size is in costs. */
  readonly size: number = 1;

  /** Of a format: the length of the pattern that it stands for, as costs count it. */
  readonly patternSize: number = 0;
}

/** Every value of CEL: int is a bigint, double a number. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Duration
  | Timestamp
  | TypeValue
  | Optional
  | List
  | MapValue
  | Opaque;

/** Text by which a map distinguishes its keys: whole numbers of all types are one key. */
function keyText(key: Value): string {
  if (key instanceof Uint) return `n${key.value.toString()}`;
  if (typeof key === 'bigint') return `n${key.toString()}`;
  if (typeof key === 'number') return Number.isInteger(key) ? `n${BigInt(key).toString()}` : `d${String(key)}`;
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'boolean') return `b${String(key)}`;
  throw new CelError(`unsupported key type: ${typeName(key)}`);
}

/** The name of a value's type. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    default:
      return value === null ? 'null_type' : objectTypeName(value);
  }
}

function objectTypeName(value: Exclude<Value, null | boolean | bigint | number | string>): string {
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof TypeValue) return 'type';
  if (value instanceof Optional) return 'optional_type';
  if (value instanceof List) return 'list';
  return value instanceof MapValue ? 'map' : value.typeName;
}

/** A short text of a value for error messages. */
export function display(value: Value): string {
  if (value instanceof Uint) return value.value.toString();
  return typeof value === 'object' && value !== null ? typeName(value) : String(value);
}

/** The value of a number of any type; undefined for what is no number. */
export function numeric(value: Value): bigint | number | undefined {
  if (value instanceof Uint) return value.value;
  return typeof value === 'bigint' || typeof value === 'number' ? value : undefined;
}

/** `==`: values of different types are not equal, but for numbers. */
export function equal(a: Value, b: Value): boolean {
  const x = numeric(a);
  const y = numeric(b);
  if (x !== undefined && y !== undefined) return typeof x === typeof y ? x === y : Number(x) === Number(y);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (a instanceof List) return b instanceof List && a.equals(b);
  if (a instanceof MapValue) return b instanceof MapValue && equalMaps(a, b);
  return equalParts(a, b);
}

function equalParts(a: Value, b: Value): boolean {
  if (a instanceof Uint8Array)
    return b instanceof Uint8Array && a.length === b.length && a.every((byte, i) => byte === b[i]);
  if (a instanceof Duration) return b instanceof Duration && a.nanoseconds === b.nanoseconds;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanoseconds === b.nanoseconds;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Optional) return b instanceof Optional && equalOptionals(a, b);
  return a instanceof Opaque && b instanceof Opaque && a.typeName === b.typeName && a.equals(b);
}

function equalOptionals(a: Optional, b: Optional): boolean {
  return a.value === undefined || b.value === undefined ? a.value === b.value : equal(a.value, b.value);
}

function equalMaps(a: MapValue, b: MapValue): boolean {
  if (a.size !== b.size) return false;
  return a.keys().every((key) => {
    const left = a.get(key);
    const right = b.get(key);
    return left !== undefined && right !== undefined && equal(left, right);
  });
}

/** The order of two values: below 0, 0 or above. Throws for what has no order. */
export function compare(a: Value, b: Value): number {
  const x = numeric(a);
  const y = numeric(b);
  if (x !== undefined && y !== undefined) {
    if (Number.isNaN(x) || Number.isNaN(y)) throw new CelError('NaN values cannot be ordered');
    // Of different types both are compared as doubles, as cel-go does it.
    const [left, right] = typeof x === typeof y ? [x, y] : [Number(x), Number(y)];
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  if ((a instanceof Duration && b instanceof Duration) || (a instanceof Timestamp && b instanceof Timestamp)) {
    return a.nanoseconds < b.nanoseconds ? -1 : a.nanoseconds > b.nanoseconds ? 1 : 0;
  }
  throw noSuchOverload();
}

function compareText(a: string, b: string): number {
  return compareBytes(new TextEncoder().encode(a), new TextEncoder().encode(b));
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const size = Math.min(a.length, b.length);
  for (let i = 0; i < size; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
