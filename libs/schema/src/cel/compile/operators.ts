import { comparisonCost, concatenationCost } from '../cost/call-cost.ts';
import { CelError, noSuchOverload } from '../values/error.ts';
import { compare, Duration, equal, List, MapValue, Opaque, Timestamp, Uint } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import type { Compiled } from './compiled.ts';
import { mayBe, overloadsOf, resultOf } from './overloads.ts';
import { charge } from './scope.ts';
import type { Scope } from './scope.ts';
import { CelCompileError, compatible, oneOf, simple, typeText } from './types.ts';
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
    return { run, type: simple('bool'), form: 'call' };
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
    const chosen = value ? yes : no;
    const result = chosen.run(scope);
    if (chosen.form === 'attribute') charge(scope, -1);
    return result;
  };
  return { run, type: oneOf(yes.type, no.type), form: 'choice' };
};

function noOverload(name: string, left: StaticType, right: StaticType): CelCompileError {
  return new CelCompileError(
    `found no matching overload for '${name}' applied to '(${typeText(left)}, ${typeText(right)})'`,
  );
}

type Apply = (a: Value, b: Value) => Value;
type Cost = (a: Value, b: Value) => number;

const one: Cost = () => 1;

/** Costs are counted where both sides have a value. */
function binaryRun(left: Compiled, right: Compiled, { apply, cost }: { apply: Apply; cost: Cost }): Compiled['run'] {
  return (scope) => {
    const a = left.run(scope);
    const b = right.run(scope);
    if (scope !== undefined) charge(scope, cost(a, b));
    return apply(a, b);
  };
}

/** `==` and `!=`. */
function equality(name: string, apply: Apply, cost: Cost): Operator {
  return ([left, right]) => {
    if (left === undefined || right === undefined) throw noSuchOverload();
    if (!compatible(left.type, right.type)) throw noOverload(name, left.type, right.type);
    return { run: binaryRun(left, right, { apply, cost }), type: simple('bool'), form: 'call' };
  };
}

/** An operator with a form for each type that it takes. Texts and bytes cost by their size, where nothing else can be meant. */
function binary(name: string, apply: Apply, textCost: Cost = one): Operator {
  return ([left, right]) => {
    if (left === undefined || right === undefined) throw noSuchOverload();
    const found = overloadsOf(name, left.type, right.type);
    const [only] = found;
    if (only === undefined) throw noOverload(name, left.type, right.type);
    const type = resultOf(found, left.type, right.type);
    const isText = found.length === 1 && (only.left === 'string' || only.left === 'bytes');
    return { run: binaryRun(left, right, { apply, cost: isText ? textCost : one }), type, form: 'call' };
  };
}

const isIn: Operator = ([item, container]) => {
  if (item === undefined || container === undefined) throw noSuchOverload();
  const { type } = container;
  if (!isContained(item.type, type)) throw noOverload('@in', item.type, type);
  const apply: Apply = (value, values) => contains(values, value);
  const isList = mayBe(type, 'list') && !mayBe(type, 'map');
  const constant = isList && container.form === 'constant' ? container.run(undefined) : undefined;
  if (constant instanceof List && constant.items().every(isPrimitive))
    return { run: (scope) => contains(constant, item.run(scope)), type: simple('bool'), form: 'call' };
  const cost: Cost = isList ? (_, list) => (list instanceof List ? list.size : 1) : one;
  return { run: binaryRun(item, container, { apply, cost }), type: simple('bool'), form: 'call' };
};

/** Of these cel-go makes a set when it plans the expression. */
const isPrimitive = (value: Value): boolean =>
  value instanceof Uint || ['boolean', 'bigint', 'number', 'string'].includes(typeof value);

function isContained(item: StaticType, container: StaticType): boolean {
  if (container.kind === 'list') return compatible(item, container.item);
  return container.kind === 'map' ? compatible(item, container.key) : container.kind === 'dyn';
}

/** `a in b` for lists and maps. */
function contains(container: Value, value: Value): boolean {
  if (container instanceof MapValue) return container.get(value) !== undefined;
  if (!(container instanceof List)) throw noSuchOverload();
  for (let i = 0; i < container.size; i++) if (equal(container.at(i), value)) return true;
  return false;
}

function unary(apply: (value: Value) => Value): Operator {
  return ([operand]) => {
    if (operand === undefined) throw noSuchOverload();
    const run = (scope: Scope | undefined): Value => {
      const value = operand.run(scope);
      charge(scope, 1);
      return apply(value);
    };
    return { run, type: operand.type, form: 'call' };
  };
}

/** The operators by their names in CEL's syntax tree. */
export const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['_||_', logic(true)],
  ['_&&_', logic(false)],
  ['_?_:_', choose],
  ['!_', unary(not)],
  ['-_', unary(negate)],
  ['_+_', binary('_+_', add, concatenationCost)],
  ['_-_', binary('_-_', subtract)],
  ['_*_', binary('_*_', multiply)],
  ['_/_', binary('_/_', divide)],
  ['_%_', binary('_%_', remainder)],
  ['_==_', equality('_==_', equal, (a, b) => (a instanceof Opaque ? 1 : comparisonCost(a, b)))],
  ['_!=_', equality('_!=_', (a, b) => !equal(a, b), comparisonCost)],
  ['_<_', binary('_<_', (a, b) => compare(a, b) < 0, comparisonCost)],
  ['_<=_', binary('_<=_', (a, b) => compare(a, b) <= 0, comparisonCost)],
  ['_>_', binary('_>_', (a, b) => compare(a, b) > 0, comparisonCost)],
  ['_>=_', binary('_>=_', (a, b) => compare(a, b) >= 0, comparisonCost)],
  ['@in', isIn],
]);
