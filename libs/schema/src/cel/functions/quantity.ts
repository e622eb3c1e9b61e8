import { CelError } from '../values/error.ts';
import { Opaque } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import { global, method } from './callee.ts';
import type { Library, Named } from './callee.ts';

/** A quantity of Kubernetes, in billionths: smaller parts do not exist. */
class Quantity extends Opaque {
  override readonly typeName = 'kubernetes.Quantity';
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }

  override equals(other: Opaque): boolean {
    return other instanceof Quantity && other.nanos === this.nanos;
  }
}

const one = 1_000_000_000n;
const exponents: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binaries = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** Reads `1.5Gi`, `100m`, `1e3`. Throws CelError in the words of `resource.ParseQuantity`. */
function parseQuantity(text: string): Quantity {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?([A-Za-z].*)?$/.exec(text);
  const [, sign, whole = '', fraction = '', suffix = ''] = match ?? [];
  if (match === null || whole + fraction === '') {
    throw new CelError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
  const digits = BigInt(whole + fraction);
  const nanos = scale(digits * one, -fraction.length, suffix);
  return new Quantity(sign === '-' ? -nanos : nanos);
}

/** Digits times their power, rounded up to a whole billionth. */
function scale(nanos: bigint, power: number, suffix: string): bigint {
  const binary = suffix === '' ? -1 : binaries.indexOf(suffix);
  const exponent = /^[eE]([+-]?\d+)$/.exec(suffix);
  const decimal =
    exponent === null ? (Object.hasOwn(exponents, suffix) ? exponents[suffix] : undefined) : Number(exponent[1]);
  if (binary < 0 && decimal === undefined) throw new CelError("unable to parse quantity's suffix");
  const times = binary < 0 ? 1n : 1024n ** BigInt(binary);
  const total = power + (decimal ?? 0);
  if (Math.abs(total) > 400) throw new CelError('unable to parse numeric part of quantity');
  if (total >= 0) return nanos * times * 10n ** BigInt(total);
  const divisor = 10n ** BigInt(-total);
  return (nanos * times + divisor - 1n) / divisor;
}

function on(apply: (quantity: Quantity) => Value, result: string): Named {
  return method(1, (quantity) => (quantity instanceof Quantity ? apply(quantity) : undefined), result);
}

function compared(apply: (order: number) => Value, result: string): Named {
  return method(
    2,
    (a, b) => {
      if (!(a instanceof Quantity) || !(b instanceof Quantity)) return undefined;
      return apply(a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0);
    },
    result,
  );
}

function combined(apply: (a: bigint, b: bigint) => bigint): Named {
  return method(
    2,
    (a, b) => {
      const other = b instanceof Quantity ? b.nanos : typeof b === 'bigint' ? b * one : undefined;
      return a instanceof Quantity && other !== undefined ? new Quantity(apply(a.nanos, other)) : undefined;
    },
    'kubernetes.Quantity',
  );
}

function wholeOf({ nanos }: Quantity): bigint | undefined {
  const whole = nanos / one;
  return nanos % one === 0n && whole >= -(2n ** 63n) && whole < 2n ** 63n ? whole : undefined;
}

function signOf(value: Value | undefined): Value | undefined {
  if (!(value instanceof Quantity)) return undefined;
  return value.nanos === 0n ? 0n : value.nanos < 0n ? -1n : 1n;
}

/** Quantities of resources. */
export const quantities: Library = {
  quantity: global(1, (text) => (typeof text === 'string' ? parseQuantity(text) : undefined), 'kubernetes.Quantity'),
  isQuantity: global(1, (text) => (typeof text === 'string' ? isQuantity(text) : undefined), 'bool'),
  sign: global(1, signOf, 'int'),
  isInteger: on((quantity) => wholeOf(quantity) !== undefined, 'bool'),
  asInteger: on((quantity) => {
    const whole = wholeOf(quantity);
    if (whole === undefined) throw new CelError('cannot convert value to integer');
    return whole;
  }, 'int'),
  asApproximateFloat: on(({ nanos }) => Number(nanos / one) + Number(nanos % one) / 1e9, 'double'),
  add: combined((a, b) => a + b),
  sub: combined((a, b) => a - b),
  isLessThan: compared((order) => order < 0, 'bool'),
  isGreaterThan: compared((order) => order > 0, 'bool'),
  compareTo: compared((order) => BigInt(order), 'int'),
};

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}
