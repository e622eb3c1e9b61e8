import type { StaticType } from '../compile/types.ts';
import { runeCount } from '../../internal/go-text.ts';
import { List, MapValue, Opaque, Optional } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import { byteLength } from '../../internal/go-text.ts';
import { listCost, perCharacter, perPatternCharacter } from './limits.ts';

/** A call of a function by its name, how it is called, and what is known of its operands, the target among them. */
export interface CallForm {
  readonly name: string;
  readonly isMember: boolean;
  readonly types: readonly StaticType[];
}

/** What a call costs when it runs, by its operands. */
type CallCost = (operands: readonly Value[]) => number;

/** The size of a value as costs count it: characters, bytes, items or entries, and 1 for everything else. */
function sizeOf(value: Value | undefined): number {
  if (typeof value === 'string') return runeCount(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof List || value instanceof MapValue) return value.size;
  if (value instanceof Optional) return sizeOf(value.value);
  return value instanceof Opaque ? value.size : 1;
}

/** Cost of reading both values to the end of the shorter one. */
export const comparisonCost = (a: Value, b: Value): number => Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * perCharacter);

/** Cost of `a + b` for texts and bytes. */
export const concatenationCost = (a: Value, b: Value): number => Math.ceil((sizeOf(a) + sizeOf(b)) * perCharacter);

/** Cost of a function that reads its first operand once, or as often as given. */
const reading =
  (often = 1): CallCost =>
  ([text]) =>
    Math.ceil(sizeOf(text) * often * perCharacter);

/** Cost of looking for a pattern in a text. */
const matching: CallCost = ([text, pattern]) => patternCost(sizeOf(text), sizeOf(pattern));

const patternCost = (text: number, pattern: number): number =>
  Math.ceil((1 + text) * perCharacter) * Math.ceil(pattern * perPatternCharacter);

const making = (size: number, factor = 1): number => Math.floor(size * factor) + 1 + listCost;

/** Cost of comparing the items of a list with each other. */
export function sortCost(list: Value | undefined): number {
  const size = sizeOf(list);
  const first = list instanceof List && size > 0 ? list.at(0) : null;
  const isText = typeof first === 'string' || first instanceof Uint8Array;
  return making(size * size, isText ? 2 + perCharacter : 2);
}

const setCost =
  (factor: number): CallCost =>
  ([a, b]) =>
    1 + Math.floor(sizeOf(a) * sizeOf(b) * factor);

/** Cost of reading all of a value: texts by their bytes. */
function traversal(value: Value | undefined): number {
  if (typeof value === 'string') return Math.floor(byteLength(value) * perCharacter);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof Uint8Array) return Math.floor(value.length * perCharacter);
  if (value instanceof List) return value.items().reduce<number>((cost, item) => cost + traversal(item), 0);
  if (!(value instanceof MapValue)) return 1;
  return value.keys().reduce<number>((cost, key) => cost + traversal(key) + traversal(value.get(key)), 0);
}

const traversing: CallCost = ([value]) => traversal(value);

/** What `join` makes: the texts and what stands between them. */
const joining: CallCost = ([list, separator]) => {
  if (!(list instanceof List)) return 0;
  const texts = list.items().reduce<number>((size, item) => size + sizeOf(item), 0);
  const between = separator === undefined ? 0 : Math.max(0, list.size - 1) * sizeOf(separator);
  return Math.ceil((texts + between) * 2 * perCharacter);
};

const numberOf = (value: Value | undefined): number => (typeof value === 'bigint' ? Number(value) : 0);

/** What does not cost 1, by `CallCost` of k8s.io/apiserver, `runtimecost.go` and the trackers of cel-go's lists and sets. */
const costs: Readonly<Record<string, CallCost>> = {
  isSorted: traversing,
  sum: traversing,
  max: traversing,
  min: traversing,
  indexOf: traversing,
  lastIndexOf: traversing,
  url: reading(),
  lowerAscii: reading(),
  upperAscii: reading(),
  substring: reading(),
  trim: reading(),
  replace: reading(2),
  split: reading(2),
  join: joining,
  find: matching,
  findAll: matching,
  cidr: reading(),
  isIP: reading(),
  isCIDR: reading(),
  'ip.isCanonical': reading(2),
  quantity: reading(),
  isQuantity: reading(),
  semver: reading(),
  isSemver: reading(),
  validate: ([format, text]) => patternCost(sizeOf(text), format instanceof Opaque ? format.patternSize : 0),
  startsWith: reading(),
  endsWith: reading(),
  format: reading(),
  'strings.quote': reading(),
  contains: ([text, part]) => Math.ceil(sizeOf(text) * perCharacter) * Math.ceil(sizeOf(part) * perCharacter),
  slice: ([, start, end]) => making(Math.max(0, numberOf(end) - numberOf(start))),
  flatten: ([list, depth]) => making(sizeOf(list), depth === undefined ? 1 : Math.max(0, numberOf(depth))),
  'lists.range': ([size]) => making(Math.max(0, numberOf(size))),
  reverse: ([list]) => making(sizeOf(list)),
  distinct: ([list]) => sortCost(list),
  sort: ([list]) => sortCost(list),
  'sets.contains': setCost(1),
  'sets.intersects': setCost(1),
  'sets.equivalent': setCost(2),
};

const one: CallCost = () => 1;

/** What a call costs when it runs, before it runs: what it makes is bounded by that too. */
export function callCost({ name, isMember, types }: CallForm): CallCost {
  const [first, second] = types;
  const isText = second?.kind === 'simple' && second.name === 'string';
  switch (name) {
    case 'ip':
      return isMember ? one : reading();
    case 'matches':
      // Of its two forms only the method is known to cel-go's costs.
      return isMember ? matching : one;
    case 'containsIP':
      return ([network, other]) =>
        Math.ceil(2 * sizeOf(network) * perCharacter) + (isText ? reading()([other ?? null]) : 0);
    case 'containsCIDR':
      return ([network, other]) =>
        Math.ceil(2 * sizeOf(network) * perCharacter) +
        Math.ceil(sizeOf(network) * perCharacter) +
        1 +
        (isText ? reading()([other ?? null]) : 0);
    case 'bytes':
      return isSimple(first, 'string') ? reading() : one;
    case 'string':
      return isSimple(first, 'bytes') ? reading() : one;
    default:
      return costs[name] ?? one;
  }
}

const isSimple = (type: StaticType | undefined, name: string): boolean => type?.kind === 'simple' && type.name === name;
