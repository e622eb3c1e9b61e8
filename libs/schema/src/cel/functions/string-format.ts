import { boundText } from '../cost/meter.ts';
import { CelError } from '../values/error.ts';
import { printDuration, printTimestamp } from '../values/print.ts';
import { Duration, List, MapValue, numeric, Timestamp, TypeValue, typeName, Uint } from '../values/value.ts';
import type { Value } from '../values/value.ts';

const clause = /%(?:%|(?:\.(\d+))?([sdfexXob]))|%/g;

/** `"%s is %d".format([a, b])`. Throws CelError for a clause that does not fit its argument. */
export function formatText(text: string, args: List): string {
  const values = args.items();
  let next = 0;
  let length = text.length;
  const bounded = (part: string): string => {
    length += part.length;
    boundText(length);
    return part;
  };
  return text.replace(clause, (match, precision: string | undefined, verb: string | undefined) => {
    if (match === '%%') return '%';
    if (verb === undefined) throw new CelError('could not parse formatting clause: unrecognized formatting clause');
    const value = values[next++];
    if (value === undefined) throw new CelError(`index ${String(next - 1)} out of range`);
    return bounded(formatOne(value, verb, precision === undefined ? 6 : Number(precision)));
  });
}

function formatOne(value: Value, verb: string, precision: number): string {
  const number = numeric(value);
  switch (verb) {
    case 's':
      return printValue(value);
    case 'd':
      if (number !== undefined && (typeof number === 'bigint' || !Number.isFinite(number))) return printValue(value);
      break;
    case 'f':
    case 'e':
      if (number !== undefined) return printFixed(Number(number), verb, precision);
      break;
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      if (typeof number === 'bigint') return number.toString(2);
      break;
    case 'o':
      if (typeof number === 'bigint') return number.toString(8);
      break;
    default: {
      const hex = printHex(value, number);
      if (hex !== undefined) return verb === 'X' ? hex.toUpperCase() : hex;
    }
  }
  throw new CelError(`error during formatting: %${verb} clause cannot be used on values of type ${typeName(value)}`);
}

function printHex(value: Value, number: bigint | number | undefined): string | undefined {
  if (typeof number === 'bigint') return number.toString(16);
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  return bytes instanceof Uint8Array
    ? [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
    : undefined;
}

/** Most digits that JavaScript writes after the point. */
const maxDigits = 100;

function printFixed(value: number, verb: 'f' | 'e', precision: number): string {
  if (precision > maxDigits)
    throw new CelError(`error during formatting: a precision of more than ${String(maxDigits)} is not supported`);
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return verb === 'f' ? fixed(value, precision) : value.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
}

/** A number with so many digits after the point. Ties go to the even digit, as in Go. */
export function fixed(value: number, precision: number): string {
  const scaled = Math.abs(value) * 10 ** precision;
  // A product that looks like a tie is one only where the number is a multiple of the right power of two.
  const isTie = scaled < 2 ** 52 && scaled % 1 === 0.5 && Number.isInteger(value * 2 ** (precision + 1));
  if (!isTie) return value.toFixed(precision);
  const even = Math.floor(scaled) % 2 === 0 ? Math.floor(scaled) : Math.ceil(scaled);
  return (Math.sign(value) * (even / 10 ** precision)).toFixed(precision);
}

function joined(parts: readonly string[]): string {
  boundText(parts.reduce((length, part) => length + part.length + 2, 0));
  return parts.join(', ');
}

function printValue(value: Value): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint' || typeof value === 'string')
    return String(value);
  if (typeof value === 'number')
    return Number.isFinite(value) || Number.isNaN(value) ? String(value) : value > 0 ? 'Infinity' : '-Infinity';
  if (value instanceof Uint) return value.value.toString();
  if (value instanceof Duration) return printDuration(value);
  if (value instanceof Timestamp) return printTimestamp(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof List) return `[${joined(value.items().map(printValue))}]`;
  if (value instanceof MapValue) {
    const entries = value.keys().map((key) => [printValue(key), printValue(value.get(key) ?? null)] as const);
    const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${joined(sorted.map(([key, member]) => `${key}: ${member}`))}}`;
  }
  throw new CelError(
    `error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeName(value)}`,
  );
}
