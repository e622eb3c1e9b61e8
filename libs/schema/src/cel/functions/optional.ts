import type { StaticType } from '../compile/types.ts';
import { CelCompileError, compatible, dyn, oneOf, typeText } from '../compile/types.ts';
import { CelError } from '../values/error.ts';
import { ArrayList, Duration, List, MapValue, Optional, Timestamp, Uint } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import { global, method } from './callee.ts';
import type { Library } from './callee.ts';

function isZero(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0 || value === 0n) return true;
  if (value instanceof List || value instanceof MapValue) return value.size === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  return (value instanceof Duration || value instanceof Timestamp) && value.nanoseconds === 0n;
}

const wrapped = ([value]: readonly StaticType[]): StaticType => ({ kind: 'optional', value: value ?? dyn });
const unwrapped = ([optional]: readonly StaticType[]): StaticType =>
  optional?.kind === 'optional' ? optional.value : dyn;

/** The type of an optional or of what stands in for it, which must be of the type that `part` takes of the optional. */
function alternative(
  name: string,
  part: (optional: StaticType) => StaticType,
): (args: readonly StaticType[]) => StaticType {
  return ([optional = dyn, other = dyn]) => {
    if (compatible(part(optional), other)) return oneOf(part(optional), other);
    const types = `${typeText(optional)}.(${typeText(other)})`;
    throw new CelCompileError(`found no matching overload for '${name}' applied to '${types}'`);
  };
}

/** Values that may not be there. */
export const optionals: Library = {
  'optional.of': global(1, (value) => new Optional(value), wrapped),
  'optional.none': global(0, () => new Optional(undefined), wrapped),
  'optional.ofNonZeroValue': global(
    1,
    (value) => new Optional(value === undefined || isZero(value) ? undefined : value),
    wrapped,
  ),
  'optional.unwrap': global(1, (list) => (list instanceof List ? unwrapAll(list) : undefined)),
  unwrapOpt: method(1, (list) => (list instanceof List ? unwrapAll(list) : undefined)),
  hasValue: method(1, (optional) => (optional instanceof Optional ? optional.value !== undefined : undefined), 'bool'),
  value: method(
    1,
    (optional) => {
      if (!(optional instanceof Optional)) return undefined;
      if (optional.value === undefined) throw new CelError('optional.none() dereference');
      return optional.value;
    },
    unwrapped,
  ),
  or: method(
    2,
    (optional, other) => {
      if (!(optional instanceof Optional) || !(other instanceof Optional)) return undefined;
      return optional.value === undefined ? other : optional;
    },
    alternative('or', (optional) => optional),
  ),
  orValue: method(
    2,
    (optional, other) => (optional instanceof Optional ? (optional.value ?? other) : undefined),
    alternative('orValue', (optional) => unwrapped([optional])),
  ),
};

function unwrapAll(list: List): Value | undefined {
  const items = list.items();
  if (!items.every((item) => item instanceof Optional)) return undefined;
  return new ArrayList(items.flatMap(({ value }) => (value === undefined ? [] : [value])));
}
