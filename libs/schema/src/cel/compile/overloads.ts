import { common, compatible, dyn, simple } from './types.ts';
import type { StaticType } from './types.ts';

/** One form of an operator: its operands' types and its result's. */
interface Overload {
  readonly left: string;
  readonly right: string;
  readonly result: string;
}

const duration = 'google.protobuf.Duration';
const timestamp = 'google.protobuf.Timestamp';
const numbers = ['int', 'uint', 'double'];

const same = (...types: readonly string[]): Overload[] =>
  types.map((type) => ({ left: type, right: type, result: type }));
const form = (left: string, right: string, result: string): Overload => ({ left, right, result });

const ordered = [
  ...numbers.flatMap((left) => numbers.map((right) => form(left, right, 'bool'))),
  ...['bool', 'string', 'bytes', timestamp, duration].map((type) => form(type, type, 'bool')),
];

/** The forms of the operators that have more than one, as cel-go declares them. */
const overloads: Readonly<Record<string, readonly Overload[]>> = {
  '_+_': [
    ...same('bytes', 'double', duration),
    form(duration, timestamp, timestamp),
    form(timestamp, duration, timestamp),
    ...same('int', 'list', 'string', 'uint'),
  ],
  '_-_': [
    ...same('double', duration, 'int'),
    form(timestamp, duration, timestamp),
    form(timestamp, timestamp, duration),
    ...same('uint'),
  ],
  '_*_': same('double', 'int', 'uint'),
  '_/_': same('double', 'int', 'uint'),
  '_%_': same('int', 'uint'),
  '_<_': ordered,
  '_<=_': ordered,
  '_>_': ordered,
  '_>=_': ordered,
};

/** True when values of the type may be of the named one. */
export function mayBe(type: StaticType, name: string): boolean {
  if (type.kind === 'dyn') return true;
  return type.kind === 'simple' ? type.name === name : type.kind === name;
}

/** The forms of an operator that take operands of these types; more than one where a type is not known. */
export function overloadsOf(operator: string, left: StaticType, right: StaticType): readonly Overload[] {
  if (!compatible(left, right) && left.kind === 'list' && right.kind === 'list') return [];
  return (overloads[operator] ?? []).filter((each) => mayBe(left, each.left) && mayBe(right, each.right));
}

/** The type of what an operator gives: not known where its forms differ in it. */
export function resultOf(found: readonly Overload[], left: StaticType, right: StaticType): StaticType {
  const [first, ...others] = found;
  if (first === undefined || others.some(({ result }) => result !== first.result)) return dyn;
  if (first.result !== 'list') return simple(first.result);
  const known = [left, right].filter(({ kind }) => kind === 'list');
  return known.reduce((one, other) => common(one, other) ?? one, known[0] ?? dyn);
}
