import { add } from '../compile/operators.ts';
import type { StaticType } from '../compile/types.ts';
import { anything, CelCompileError, dyn, simple } from '../compile/types.ts';
import { CelError } from '../values/error.ts';
import { ArrayList, compare, equal, List, Optional } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import { global, method } from './callee.ts';
import type { Library, Named } from './callee.ts';

const same = ([list]: readonly StaticType[]): StaticType => list ?? dyn;
const itemOf = ([list]: readonly StaticType[]): StaticType => (list?.kind === 'list' ? list.item : dyn);

function onList(apply: (items: Value[]) => Value | undefined, result: string | typeof same = () => dyn): Named {
  return method(
    1,
    (list) => (list instanceof List ? apply(list.items()) : undefined),
    (args) => {
      if (args[0]?.kind === 'simple') throw new CelCompileError(`a list is needed, not a ${args[0].name}`);
      return typeof result === 'string' ? simple(result) : result(args);
    },
  );
}

function best(name: string, better: (order: number) => boolean): Named {
  return onList((items) => {
    const [first, ...rest] = items;
    if (first === undefined) throw new CelError(`${name} called on empty list`);
    return rest.reduce((chosen, item) => (better(compare(item, chosen)) ? item : chosen), first);
  }, itemOf);
}

/** Of nothing the sum is zero of the list's type, which is known from the schema only. */
function sum(items: Value[]): Value {
  const [first, ...rest] = items;
  return first === undefined ? 0n : rest.reduce((total, item) => add(total, item), first);
}

function slice(list: Value | undefined, start: Value | undefined, end: Value | undefined): Value | undefined {
  if (!(list instanceof List) || typeof start !== 'bigint' || typeof end !== 'bigint') return undefined;
  const range = `slice(${start.toString()}, ${end.toString()})`;
  if (start < 0n || end < 0n) throw new CelError(`cannot ${range}, negative indexes not supported`);
  if (start > end) throw new CelError(`cannot ${range}, start index must be less than or equal to end index`);
  if (end > BigInt(list.size)) throw new CelError(`cannot ${range}, list is length ${String(list.size)}`);
  return new ArrayList(list.items().slice(Number(start), Number(end)));
}

function flatten(items: Value[], depth: number): Value[] {
  return items.flatMap((item) =>
    item instanceof List ? (depth > 1 ? flatten(item.items(), depth - 1) : item.items()) : [item],
  );
}

/** One level less of lists; to a given depth the items may be anything. */
function flattened([list, depth]: readonly StaticType[]): StaticType {
  const item = itemOf([list ?? dyn]);
  if (depth !== undefined) return { kind: 'list', item: anything };
  return item.kind === 'list' ? item : { kind: 'list', item: dyn };
}

function distinct(items: Value[]): Value[] {
  return items.reduce<Value[]>((kept, item) => (kept.some((other) => equal(other, item)) ? kept : [...kept, item]), []);
}

function find(items: Value[], item: Value): bigint {
  return BigInt(items.findIndex((other) => equal(other, item)));
}

function within(inner: Value[], outer: Value[]): boolean {
  return inner.every((item) => outer.some((other) => equal(other, item)));
}

function onSets(apply: (a: Value[], b: Value[]) => boolean): Named {
  return global(
    2,
    (a, b) => (a instanceof List && b instanceof List ? apply(a.items(), b.items()) : undefined),
    'bool',
  );
}

/** Kubernetes' lists, version 3 of cel-go's lists, and cel-go's sets. */
export const lists: Library = {
  isSorted: onList((items) => items.every((item, i) => i === 0 || compare(items[i - 1] ?? null, item) <= 0), 'bool'),
  sum: onList(sum, itemOf),
  min: best('min', (order) => order < 0),
  max: best('max', (order) => order > 0),
  indexOf: method(
    2,
    (list, item) => (list instanceof List && item !== undefined ? find(list.items(), item) : undefined),
    'int',
  ),
  lastIndexOf: method(
    2,
    (list, item) => {
      if (!(list instanceof List) || item === undefined) return undefined;
      return BigInt(list.items().findLastIndex((other) => equal(other, item)));
    },
    'int',
  ),
  slice: method(3, slice, same),
  flatten: method(
    [1, 2],
    (list, depth) => {
      if (!(list instanceof List) || (depth !== undefined && typeof depth !== 'bigint')) return undefined;
      if (depth !== undefined && depth < 0n) throw new CelError('level must be non-negative');
      return new ArrayList(depth === 0n ? list.items() : flatten(list.items(), Number(depth ?? 1n)));
    },
    flattened,
  ),
  sort: onList((items) => new ArrayList(items.sort(compare)), same),
  distinct: onList((items) => new ArrayList(distinct(items)), same),
  reverse: onList((items) => new ArrayList(items.reverse()), same),
  first: onList(
    (items) => new Optional(items[0]),
    ([list]) => ({ kind: 'optional', value: itemOf([list ?? dyn]) }),
  ),
  last: onList(
    (items) => new Optional(items.at(-1)),
    ([list]) => ({ kind: 'optional', value: itemOf([list ?? dyn]) }),
  ),
  'lists.range': global(
    1,
    (size) =>
      typeof size === 'bigint' ? new ArrayList(Array.from({ length: Number(size) }, (_, i) => BigInt(i))) : undefined,
    () => ({ kind: 'list', item: simple('int') }),
  ),
  'sets.contains': onSets((outer, inner) => within(inner, outer)),
  'sets.equivalent': onSets((a, b) => within(a, b) && within(b, a)),
  'sets.intersects': onSets((a, b) => a.some((item) => b.some((other) => equal(other, item)))),
};
