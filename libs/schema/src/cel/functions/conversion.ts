import { int, uint } from '../compile/operators.ts';
import { parseGoDuration } from '../../internal/go-duration.ts';
import { printFloat, runeCount } from '../../internal/go-text.ts';
import { CelError } from '../values/error.ts';
import { printDuration, printTimestamp } from '../values/print.ts';
import { Duration, List, MapValue, Timestamp, TypeValue, typeName, Uint } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import { global, method } from './callee.ts';
import type { Library } from './callee.ts';
import { anything } from '../compile/types.ts';
import { parseTimestamp } from '../values/timestamp.ts';

function cannotConvert(type: string): CelError {
  return new CelError(`type conversion error from 'string' to '${type}'`);
}

function size(value: Value | undefined): Value | undefined {
  if (typeof value === 'string') return BigInt(runeCount(value));
  if (value instanceof Uint8Array) return BigInt(value.length);
  return value instanceof List || value instanceof MapValue ? BigInt(value.size) : undefined;
}

function toInt(value: Value | undefined): Value | undefined {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return int(value.value);
  if (typeof value === 'number') {
    if (!(value > -(2 ** 63) && value < 2 ** 63)) throw new CelError('integer overflow');
    return BigInt(Math.trunc(value));
  }
  if (typeof value === 'string') {
    if (!/^[+-]?\d+$/.test(value)) throw cannotConvert('int');
    const parsed = BigInt(value.replace(/^\+/, ''));
    if (parsed < -(2n ** 63n) || parsed >= 2n ** 63n) throw cannotConvert('int');
    return parsed;
  }
  if (value instanceof Timestamp) return floorSeconds(value.nanoseconds);
  return undefined;
}

function floorSeconds(nanoseconds: bigint): bigint {
  const seconds = nanoseconds / 1_000_000_000n;
  return nanoseconds < 0n && nanoseconds % 1_000_000_000n !== 0n ? seconds - 1n : seconds;
}

function toUint(value: Value | undefined): Value | undefined {
  if (value instanceof Uint) return value;
  if (typeof value === 'bigint') return uint(value);
  if (typeof value === 'number') {
    if (!(value > -1 && value < 2 ** 64)) throw new CelError('unsigned integer overflow');
    return uint(BigInt(Math.trunc(value)));
  }
  if (typeof value !== 'string') return undefined;
  if (!/^\d+$/.test(value)) throw cannotConvert('uint');
  return uint(BigInt(value));
}

function toDouble(value: Value | undefined): Value | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (typeof value !== 'string') return undefined;
  const special = {
    inf: Infinity,
    '+inf': Infinity,
    '-inf': -Infinity,
    nan: NaN,
    infinity: Infinity,
    '+infinity': Infinity,
    '-infinity': -Infinity,
  }[value.toLowerCase()];
  if (special !== undefined) return special;
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value)) {
    throw cannotConvert('double');
  }
  return Number(value);
}

function toText(value: Value | undefined): Value | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return printFloat(value);
  if (value instanceof Uint) return value.value.toString();
  if (value instanceof Duration) return printDuration(value);
  if (value instanceof Timestamp) return printTimestamp(value);
  if (!(value instanceof Uint8Array)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    throw new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function toBool(value: Value | undefined): Value | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(value)) return false;
  throw cannotConvert('bool');
}

function toDuration(value: Value | undefined): Value | undefined {
  if (value instanceof Duration) return value;
  if (typeof value === 'bigint') return new Duration(int(value));
  if (typeof value !== 'string') return undefined;
  const nanoseconds = parseGoDuration(value);
  if (nanoseconds === undefined) throw cannotConvert('google.protobuf.Duration');
  return new Duration(nanoseconds);
}

function toTimestamp(value: Value | undefined): Value | undefined {
  if (value instanceof Timestamp) return value;
  if (typeof value === 'bigint') return new Timestamp(value * 1_000_000_000n);
  if (typeof value !== 'string') return undefined;
  try {
    return parseTimestamp(value);
  } catch {
    throw cannotConvert('google.protobuf.Timestamp');
  }
}

/** Types and their conversions, and `size`. */
export const conversions: Library = {
  size: { ...global(1, size, 'int'), ...method(1, size, 'int') },
  type: global(1, (value) => (value === undefined ? undefined : new TypeValue(typeName(value))), 'type'),
  dyn: global(
    1,
    (value) => value,
    () => anything,
  ),
  int: global(1, toInt, 'int'),
  uint: global(1, toUint, 'uint'),
  double: global(1, toDouble, 'double'),
  string: global(1, toText, 'string'),
  bool: global(1, toBool, 'bool'),
  bytes: global(
    1,
    (value) =>
      typeof value === 'string' ? new TextEncoder().encode(value) : value instanceof Uint8Array ? value : undefined,
    'bytes',
  ),
  duration: global(1, toDuration, 'google.protobuf.Duration'),
  timestamp: global(1, toTimestamp, 'google.protobuf.Timestamp'),
};
