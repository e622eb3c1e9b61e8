import { CelError, noSuchOverload } from '../values/error.ts';
import { compare, Duration, equal, List, Timestamp, Uint } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import { contains } from './expression.ts';
import type { Compiled } from './expression.ts';
import type { Scope } from './scope.ts';
import { CelCompileError, compatible, dyn, oneOf, simple, typeText } from './types.ts';
import type { StaticType } from './types.ts';

type Operator = (args: readonly Compiled[]) => Compiled;

const lowest = -(2n ** 63n);
const highest = 2n ** 63n - 1n;

/** A value in the range of int. Throws "integer overflow" outside. */
export function int(value: bigint): bigint {
  if (value < lowest || value > highest) throw new CelError('integer overflow');
  return value;
}

/** A value in the range of uint. */
export function uint(value: bigint): Uint {
  if (value < 0n || value >= 2n ** 64n) throw new CelError('unsigned integer overflow');
  return new Uint(value);
}

function span(nanoseconds: bigint): Duration {
  if (nanoseconds < lowest || nanoseconds > highest) throw new CelError('integer overflow');
  return new Duration(nanoseconds);
}

const firstInstant = -62_135_596_800_000_000_000n;
const lastInstant = 253_402_300_799_999_999_999n;

/** A time from year 1 to 9999. Throws "timestamp overflow" outside. */
function instant(nanoseconds: bigint): Timestamp {
  if (nanoseconds < firstInstant || nanoseconds > lastInstant) throw new CelError('timestamp overflow');
  return new Timestamp(nanoseconds);
}

/** `a + b` for numbers, texts, bytes, lists and times. */
export function add(a: Value, b: Value): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') return int(a + b);
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (a instanceof Uint && b instanceof Uint) return uint(a.value + b.value);
  if (a instanceof List && b instanceof List) return a.concat(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Uint8Array.from([...a, ...b]);
  if (a instanceof Duration && b instanceof Duration) return span(a.nanoseconds + b.nanoseconds);
  if (a instanceof Timestamp && b instanceof Duration) return instant(a.nanoseconds + b.nanoseconds);
  if (a instanceof Duration && b instanceof Timestamp) return instant(a.nanoseconds + b.nanoseconds);
  throw noSuchOverload();
}

function subtract(a: Value, b: Value): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') return int(a - b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (a instanceof Uint && b instanceof Uint) return uint(a.value - b.value);
  if (a instanceof Duration && b instanceof Duration) return span(a.nanoseconds - b.nanoseconds);
  if (a instanceof Timestamp && b instanceof Duration) return instant(a.nanoseconds - b.nanoseconds);
  if (a instanceof Timestamp && b instanceof Timestamp) return span(a.nanoseconds - b.nanoseconds);
  throw noSuchOverload();
}

function multiply(a: Value, b: Value): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') return int(a * b);
  if (typeof a === 'number' && typeof b === 'number') return a * b;
  if (a instanceof Uint && b instanceof Uint) return uint(a.value * b.value);
  throw noSuchOverload();
}

function divide(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') return a / b;
  return wholes(a, b, 'division by zero', (x, y) => x / y);
}

function remainder(a: Value, b: Value): Value {
  return wholes(a, b, 'modulus by zero', (x, y) => x % y);
}

function wholes(a: Value, b: Value, zero: string, apply: (x: bigint, y: bigint) => bigint): Value {
  const unsigned = a instanceof Uint && b instanceof Uint;
  if (!unsigned && (typeof a !== 'bigint' || typeof b !== 'bigint')) throw noSuchOverload();
  const x = a instanceof Uint ? a.value : a;
  const y = b instanceof Uint ? b.value : b;
  if (typeof x !== 'bigint' || typeof y !== 'bigint') throw noSuchOverload();
  if (y === 0n) throw new CelError(zero);
  return unsigned ? uint(apply(x, y)) : int(apply(x, y));
}

function negate(value: Value): Value {
  if (typeof value === 'bigint') return int(-value);
  if (typeof value === 'number') return -value;
  throw noSuchOverload();
}

function not(value: Value): Value {
  if (typeof value !== 'boolean') throw noSuchOverload();
  return !value;
}

/** A side decides alone when it is the operator's value; an error of the other side does not matter then. */
function logic(decisive: boolean): Operator {
  return ([left, right]) => {
    if (left === undefined || right === undefined) throw noSuchOverload();
    const run = (scope: Scope | undefined): Value => {
      const first = attempt(left, scope);
      if (first === decisive) return decisive;
      const second = attempt(right, scope);
      if (second === decisive) return decisive;
      if (first instanceof CelError) throw first;
      if (second instanceof CelError) throw second;
      if (typeof first !== 'boolean' || typeof second !== 'boolean') throw noSuchOverload();
      return !decisive;
    };
    return { run, type: simple('bool') };
  };
}

/** The value, or the error instead of it. */
export function attempt(compiled: Compiled, scope: Scope | undefined): Value | CelError {
  try {
    return compiled.run(scope);
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
}

const choose: Operator = ([condition, yes, no]) => {
  if (condition === undefined || yes === undefined || no === undefined) throw noSuchOverload();
  if (!compatible(yes.type, no.type)) {
    const types = [condition, yes, no].map(({ type }) => typeText(type)).join(', ');
    throw new CelCompileError(`found no matching overload for '_?_:_' applied to '(${types})'`);
  }
  const run = (scope: Scope | undefined): Value => {
    const value = condition.run(scope);
    if (typeof value !== 'boolean') throw noSuchOverload();
    return value ? yes.run(scope) : no.run(scope);
  };
  return { run, type: oneOf(yes.type, no.type) };
};

type Fits = (left: StaticType, right: StaticType) => boolean;

const numbers = new Set(['int', 'uint', 'double']);
const times = new Set(['google.protobuf.Duration', 'google.protobuf.Timestamp']);

/** Both of one group of types: numbers are ordered among each other, times are added to each other. */
function bothIn(group: ReadonlySet<string>): Fits {
  return (left, right) =>
    left.kind === 'simple' && right.kind === 'simple' && group.has(left.name) && group.has(right.name);
}

const ordered: Fits = (left, right) => compatible(left, right) || bothIn(numbers)(left, right);
const added: Fits = (left, right) => compatible(left, right) || bothIn(times)(left, right);
const contained: Fits = (item, container) => {
  if (container.kind === 'list') return compatible(item, container.item);
  return container.kind === 'map' ? compatible(item, container.key) : container.kind === 'dyn';
};

function binary(name: string, apply: (a: Value, b: Value) => Value, fits: Fits, result?: string): Operator {
  return ([left, right]) => {
    if (left === undefined || right === undefined) throw noSuchOverload();
    if (!fits(left.type, right.type)) {
      throw new CelCompileError(
        `found no matching overload for '${name}' applied to '(${typeText(left.type)}, ${typeText(right.type)})'`,
      );
    }
    const type = result === undefined ? resultType(left.type, right.type) : simple(result);
    return { run: (scope) => apply(left.run(scope), right.run(scope)), type };
  };
}

/** Sums of times are of either type; lists of unlike items are lists of anything. */
function resultType(left: StaticType, right: StaticType): StaticType {
  if (left.kind === 'dyn' || right.kind === 'dyn' || bothIn(times)(left, right)) return dyn;
  return left;
}

function unary(apply: (value: Value) => Value): Operator {
  return ([operand]) => {
    if (operand === undefined) throw noSuchOverload();
    return { run: (scope) => apply(operand.run(scope)), type: operand.type };
  };
}

/** The operators by their names in CEL's syntax tree. */
export const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['_||_', logic(true)],
  ['_&&_', logic(false)],
  ['_?_:_', choose],
  ['!_', unary(not)],
  ['-_', unary(negate)],
  ['_+_', binary('_+_', add, added)],
  ['_-_', binary('_-_', subtract, added)],
  ['_*_', binary('_*_', multiply, added)],
  ['_/_', binary('_/_', divide, added)],
  ['_%_', binary('_%_', remainder, added)],
  ['_==_', binary('_==_', equal, compatible, 'bool')],
  ['_!=_', binary('_!=_', (a, b) => !equal(a, b), compatible, 'bool')],
  ['_<_', binary('_<_', (a, b) => compare(a, b) < 0, ordered, 'bool')],
  ['_<=_', binary('_<=_', (a, b) => compare(a, b) <= 0, ordered, 'bool')],
  ['_>_', binary('_>_', (a, b) => compare(a, b) > 0, ordered, 'bool')],
  ['_>=_', binary('_>=_', (a, b) => compare(a, b) >= 0, ordered, 'bool')],
  ['@in', binary('@in', (value, container) => contains(container, value), contained, 'bool')],
]);
