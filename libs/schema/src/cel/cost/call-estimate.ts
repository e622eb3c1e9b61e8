import { mayBe, overloadsOf } from '../compile/overloads.ts';
import type { StaticType } from '../compile/types.ts';
import type { Shape } from '../schema/shape.ts';
import { eitherEntries, sizeAt } from './estimated.ts';
import type { EntrySizes, Estimated } from './estimated.ts';
import { listCost, perCharacter, perPatternCharacter } from './limits.ts';
import { Path } from './path.ts';
import { fixed, plus, productOf, scaled, sumOf, times, unionOf, unknownSize, unlimited } from './range.ts';
import type { Range } from './range.ts';

/** A call whose operands are estimated. */
export interface EstimatedCall {
  readonly name: string;
  /** Undefined for functions that are no methods. */
  readonly target: Estimated | undefined;
  readonly args: readonly Estimated[];
  readonly root: Shape;
}

/** What a call costs beside its operands, and how large its result is. */
export interface CallEstimate {
  readonly cost: number;
  readonly size?: Range | undefined;
  readonly entries?: EntrySizes | undefined;
}

type Estimate = (call: EstimatedCall) => CallEstimate;

const one: Estimate = () => ({ cost: 1 });

const sizeOf = (part: Estimated | undefined): Range => part?.sizeOrUnknown ?? unknownSize;

/** Reads the target, or the first argument, this many times; with `keeps` the result is as large as what was read. */
const reading =
  (often: number, { keeps = false }: { readonly keeps?: boolean } = {}): Estimate =>
  ({ target, args }) => {
    const size = sizeOf(target ?? args[0]);
    return { cost: scaled(size.max, often * perCharacter), ...(keeps && { size }) };
  };

const patternCost = (text: Range, pattern: Range): number =>
  times(scaled(plus(text.max, 1), perCharacter), scaled(pattern.max, perPatternCharacter));

/** A list of the given number of items, `factor` for each. */
const making = (size: Range, factor = 1): CallEstimate => ({
  cost: plus(scaled(size.max, factor), 1 + listCost),
  size,
});

const isTextual = (type: StaticType | undefined): boolean =>
  type?.kind === 'simple' && (type.name === 'string' || type.name === 'bytes');

/** The type of a list's items; of a map's keys, as cel-go counts type parameters. */
function itemType(type: StaticType): StaticType | undefined {
  if (type.kind === 'list') return type.item;
  if (type.kind === 'map') return type.key;
  return type.kind === 'optional' ? type.value : undefined;
}

const itemSize = ({ path }: Estimated, root: Shape): Range =>
  (path === undefined ? undefined : sizeAt(root, Path.copy(path, '@items'))) ?? unknownSize;

/** Reads a list or a text to its end. */
const traversing: Estimate = ({ target, root }) => {
  if (target === undefined) return { cost: 1 };
  const item = itemType(target.type);
  if (item === undefined) return { cost: scaled(sizeOf(target).max, perCharacter) };
  const each = isTextual(item) ? plus(1, scaled(itemSize(target, root).max, perCharacter)) : 1;
  return { cost: times(sizeOf(target).max, each) };
};

/** The whole number that a literal is; `otherwise` where it is none. */
function wholeNumber(part: Estimated | undefined, otherwise: number): number {
  const literal = part?.literal;
  return typeof literal === 'bigint' ? Math.max(0, Number(literal)) : otherwise;
}

const replacing: Estimate = ({ target, args: [old, by] }) => {
  const size = sizeOf(target);
  const [from, to] = [sizeOf(old), sizeOf(by)];
  const max =
    from.min === 0
      ? { count: plus(size.max, 1), kept: size.max }
      : to.max <= from.min
        ? { count: 0, kept: size.max }
        : { count: Math.ceil(size.max / from.min), kept: 0 };
  const min =
    from.max === 0
      ? { count: plus(size.min, 1), kept: size.min }
      : from.max <= to.min
        ? { count: 0, kept: size.min }
        : { count: Math.ceil(size.min / from.max), kept: 0 };
  const result = {
    min: plus(times(min.count, to.min), min.kept),
    max: plus(times(max.count, to.max), max.kept),
  };
  return { cost: scaled(size.max, 2 * perCharacter), size: result };
};

const splitting: Estimate = ({ target, args: [, limit] }) => {
  const size = sizeOf(target);
  const max = typeof limit?.literal === 'bigint' ? Number(BigInt.asUintN(64, limit.literal)) : size.max;
  return { cost: scaled(size.max, 2 * perCharacter), size: { min: 0, max } };
};

const joining: Estimate = ({ target, args: [separator], root }) => {
  const list = sizeOf(target);
  const hasItems = target !== undefined && itemType(target.type) !== undefined;
  const texts = hasItems ? productOf(list, itemSize(target, root)) : fixed(0);
  const gaps = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
  const size = separator === undefined ? texts : sumOf(texts, productOf(sizeOf(separator), gaps));
  return { cost: scaled(size.max, perCharacter), size };
};

const searching: Estimate = ({ target, args: [pattern] }) => {
  const text = sizeOf(target);
  return { cost: patternCost(text, sizeOf(pattern)), size: { min: 0, max: text.max } };
};

/** Twice the longer of two lists' lengths by the other's: what comparing all items takes. */
function comparingAll(list: Estimated | undefined, item: StaticType | undefined): CallEstimate {
  const size = sizeOf(list);
  return making(productOf(size, size), isTextual(item) ? 2 + perCharacter : 2);
}

const setEstimate =
  (factor: number): Estimate =>
  ({ args: [a, b] }) => ({ cost: plus(scaled(times(sizeOf(a).max, sizeOf(b).max), factor), 1) });

/** 16 bytes of an address are compared; an address that is a text is read first. */
const inNetwork =
  (often: number): Estimate =>
  ({ args: [other] }) => {
    const compared = scaled(32, perCharacter) + often;
    const isText = other !== undefined && mayBe(other.type, 'string');
    return { cost: isText ? plus(compared, scaled(sizeOf(other).max, perCharacter)) : compared };
  };

/** A `slice` whose constant end is before its start counts as a list without end. */
const slicing: Estimate = ({ target, args: [start, end] }) => {
  const length = wholeNumber(end, sizeOf(target).max) - wholeNumber(start, 0);
  return making(fixed(length < 0 ? unlimited + length : length));
};

/** The functions whose cost is not 1, by `EstimateCallCost` of k8s.io/apiserver, and cel-go's `checker/cost.go`, lists and sets. */
const estimates: Readonly<Record<string, Estimate>> = {
  isSorted: traversing,
  sum: traversing,
  max: traversing,
  min: traversing,
  indexOf: traversing,
  lastIndexOf: traversing,
  url: reading(1, { keeps: true }),
  lowerAscii: reading(1, { keeps: true }),
  upperAscii: reading(1, { keeps: true }),
  substring: reading(1, { keeps: true }),
  trim: reading(1, { keeps: true }),
  replace: replacing,
  split: splitting,
  join: joining,
  find: searching,
  findAll: searching,
  cidr: reading(1),
  isIP: reading(1),
  isCIDR: reading(1),
  ip: (call) => (call.target === undefined ? reading(1)(call) : { cost: 1 }),
  'ip.isCanonical': reading(2),
  containsIP: inNetwork(0),
  containsCIDR: inNetwork(3),
  quantity: reading(1),
  isQuantity: reading(1),
  semver: reading(1),
  isSemver: reading(1),
  validate: ({ args: [text] }) => ({ cost: times(scaled(sizeOf(text).max, perCharacter), 128 * perPatternCharacter) }),
  format: ({ target }) => ({ cost: scaled(sizeOf(target).max, perCharacter) }),
  'strings.quote': ({ args: [text] }) => {
    const size = sizeOf(text);
    // The server's sum overflows where the size is unknown.
    const max = size.max >= unlimited ? 0 : size.max * 2 + 2;
    return { cost: scaled(size.max, perCharacter), size: { min: size.min + 2, max } };
  },
  startsWith: ({ args: [part] }) => ({ cost: scaled(sizeOf(part).max, perCharacter) }),
  endsWith: ({ args: [part] }) => ({ cost: scaled(sizeOf(part).max, perCharacter) }),
  matches: ({ target, args: [pattern] }) => ({
    cost: target === undefined ? 1 : patternCost(sizeOf(target), sizeOf(pattern)),
  }),
  contains: ({ target, args: [part] }) => ({
    cost: times(scaled(sizeOf(target).max, perCharacter), scaled(sizeOf(part).max, perCharacter)),
  }),
  bytes: ({ args: [text] }) => {
    if (text === undefined || !mayBe(text.type, 'string')) return { cost: 1 };
    const size = text.sizeOrUnknown;
    return { cost: scaled(size.max, perCharacter), size: { min: size.min, max: times(size.max, 4) } };
  },
  string: ({ args: [bytes] }) => {
    if (bytes === undefined || !mayBe(bytes.type, 'bytes')) return { cost: 1 };
    const size = bytes.sizeOrUnknown;
    return {
      cost: scaled(size.max, perCharacter),
      size: { min: Math.floor(size.min / 4), max: size.max },
    };
  },
  slice: slicing,
  flatten: ({ target, args: [depth] }) =>
    making(sizeOf(target), depth === undefined ? 1 : wholeNumber(depth, unlimited)),
  'lists.range': ({ args: [size] }) => making(fixed(wholeNumber(size, unlimited))),
  reverse: ({ target }) => making(sizeOf(target)),
  distinct: ({ target }) => comparingAll(target, undefined),
  sort: ({ target }) => comparingAll(target, target && itemType(target.type)),
  'sets.contains': setEstimate(1),
  'sets.intersects': setEstimate(1),
  'sets.equivalent': setEstimate(2),
};

/** What sorting by keys costs: all keys are compared with each other. */
export function sortByEstimate(keys: Estimated): CallEstimate {
  return comparingAll(keys, itemType(keys.type));
}

const special = new Set(['net.IP', 'net.CIDR', 'kubernetes.Quantity', 'kubernetes.Semver']);

function comparing(name: string, left: Estimated, right: Estimated): CallEstimate {
  const both = left.type.kind === 'simple' && right.type.kind === 'simple' && left.type.name === right.type.name;
  if (name === '_==_' && both && left.type.kind === 'simple') {
    if (special.has(left.type.name)) return { cost: 1 };
    if (left.type.name === 'kubernetes.NamedFormat') return { cost: scaled(64, perCharacter) };
    if (left.type.name === 'kubernetes.URL') return { cost: scaled(right.size?.max ?? 1, perCharacter) };
  }
  const shorter = Math.min(left.sizeOrUnknown.max, right.sizeOrUnknown.max);
  return { cost: scaled(shorter, perCharacter) };
}

function adding(left: Estimated, right: Estimated): CallEstimate {
  const found = overloadsOf('_+_', left.type, right.type).map(({ result }) => result);
  const size = sumOf(left.sizeOrUnknown, right.sizeOrUnknown);
  const isText = found.includes('string') || found.includes('bytes');
  if (!isText && !found.includes('list')) return { cost: 1 };
  const cost = isText ? scaled(size.max, perCharacter) : 1;
  const entries = eitherEntries(left.entries, right.entries);
  return { cost: found.length > 1 ? Math.max(1, cost) : cost, size, entries };
}

const comparisons = new Set(['_<_', '_<=_', '_>_', '_>=_']);

/** Binary operators by their operands. */
function operatorEstimate(name: string, [a, b]: readonly Estimated[]): CallEstimate | undefined {
  if (a === undefined || b === undefined) return undefined;
  // Both sides are counted as operands; the operator itself costs nothing.
  if (name === '_&&_' || name === '_||_') return { cost: 0 };
  if (name === '_==_' || name === '_!=_') return comparing(name, a, b);
  if (name === '_+_') return adding(a, b);
  if (name === '@in')
    return { cost: mayBe(b.type, 'list') ? Math.max(mayBe(b.type, 'map') ? 1 : 0, sizeOf(b).max) : 1 };
  if (!comparisons.has(name)) return undefined;
  const found = overloadsOf(name, a.type, b.type);
  const isText = found.some(({ left }) => left === 'string' || left === 'bytes');
  const cost = isText ? comparing('', a, b).cost : 1;
  return { cost: found.length > 1 ? Math.max(1, cost) : cost };
}

/** `a ? b : c` costs the dearer of its branches. */
export function conditionalEstimate([a, b, c]: readonly Estimated[]): CallEstimate {
  if (a === undefined || b === undefined || c === undefined) return { cost: 1 };
  return {
    cost: plus(a.cost, Math.max(b.cost, c.cost)),
    size: unionOf(sizeOf(b), sizeOf(c)),
    entries: eitherEntries(b.entries, c.entries),
  };
}

/** What a call costs beside its operands, at most, and what is known of its result. */
export function estimateCall(call: EstimatedCall): CallEstimate {
  const operator = call.target === undefined ? operatorEstimate(call.name, call.args) : undefined;
  return operator ?? (Object.hasOwn(estimates, call.name) ? estimates[call.name] : undefined)?.(call) ?? one(call);
}
