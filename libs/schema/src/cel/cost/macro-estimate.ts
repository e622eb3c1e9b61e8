import type { Macro } from '../compile/macros.ts';
import { dyn, simple } from '../compile/types.ts';
import type { StaticType } from '../compile/types.ts';
import type { Expression } from '../syntax/ast.ts';
import { sortByEstimate } from './call-estimate.ts';
import { eitherEntries } from './estimated.ts';
import type { EntrySizes, Estimated, LocalVariable } from './estimated.ts';
import type { Estimator } from './estimate.ts';
import { listCost, mapCost } from './limits.ts';
import { Path } from './path.ts';
import { fixed, plus, times } from './range.ts';
import type { Range } from './range.ts';

/** What a comprehension's turn costs and makes, and what the whole costs beside its turns. */
interface Fold {
  readonly turn: number;
  /** Making the accumulator, and what becomes of it in the end. */
  readonly once: number;
  readonly size: 'one' | 'range';
  readonly entries?: EntrySizes | undefined;
}

/** The estimate of a macro: what cel-go's expansion of it costs. */
export function estimateMacro(estimator: Estimator, macro: Macro, type: StaticType): Estimated {
  const { kind, name, target, names, rest } = macro;
  if (target === undefined) return has(estimator, rest[0], type);
  if (kind === 'optional') return optionalMap(estimator, { name, target, names, rest }, type);
  if (kind === 'sortBy') return sortBy(estimator, { target, names, rest }, type);
  const range = estimator.estimate(target);
  const loop = estimator.within(loopVariables(range, names.map(nameOf)), () => turnOf(estimator, macro, names));
  return foldOver(estimator, { range, loop, type });
}

const nameOf = (expression: Expression): string => (expression.kind === 'identifier' ? expression.name : '');

function has(estimator: Estimator, argument: Expression | undefined, type: StaticType): Estimated {
  const cost = argument?.kind === 'select' ? estimator.estimate(argument.operand).cost : 0;
  return estimator.part({ cost, type });
}

function foldOver(
  estimator: Estimator,
  { range, loop, type }: { readonly range: Estimated; readonly loop: Fold; readonly type: StaticType },
): Estimated {
  const count = range.sizeOrUnknown;
  const cost = plus(plus(range.cost, loop.once), times(count.max, loop.turn));
  return estimator.part({ cost, type, size: loop.size === 'one' ? fixed(1) : count, entries: loop.entries });
}

/** The variables of a loop, which is over a map where the type says so or the expression wrote one out. */
function loopVariables(
  range: Estimated,
  [first = '', second]: readonly string[],
): (readonly [string, LocalVariable])[] {
  const { type, path, entries } = range;
  const isList = entries === undefined ? type.kind === 'list' : entries.container === 'list';
  const key = type.kind === 'map' ? type.key : type.kind === 'list' ? simple('int') : dyn;
  const item = type.kind === 'list' ? type.item : type.kind === 'map' ? type.value : dyn;
  const local = (step: string, variable: StaticType, size: Range | undefined): LocalVariable => ({
    type: variable,
    path: Path.append(path, step),
    size,
    entries: undefined,
  });
  if (second === undefined)
    return [[first, isList ? local('@items', item, entries?.value) : local('@keys', key, entries?.key)]];
  return [
    [first, local(isList ? '@indices' : '@keys', key, entries?.key)],
    [second, local(isList ? '@items' : '@values', item, entries?.value)],
  ];
}

const emptyList: EntrySizes = { container: 'list', key: fixed(1), value: fixed(0) };

/** A list that grows by one item: the accumulator (1), `+` (1) and the list of the item. */
function growing(item: Estimated): { readonly cost: number; readonly entries: EntrySizes | undefined } {
  const added: EntrySizes = { container: 'list', key: fixed(1), value: item.sizeOrUnknown };
  return { cost: plus(2 + listCost, item.cost), entries: eitherEntries(emptyList, added) };
}

function turnOf(estimator: Estimator, { name, rest }: Macro, names: readonly Expression[]): Fold {
  const [first, last] = [rest[0], rest.at(-1)];
  const condition =
    first === undefined || (rest.length === 1 && isTransform(name)) ? undefined : estimator.estimate(first);
  const tested = condition?.cost ?? 0;
  switch (name) {
    case 'all':
      return { turn: plus(2 + 1, tested), once: 1, size: 'one' };
    case 'exists':
      return { turn: plus(3 + 1, tested), once: 1, size: 'one' };
    case 'exists_one':
    case 'existsOne':
      return { turn: plus(2, tested), once: 2, size: 'one' };
    case 'filter': {
      const item = names[0] === undefined ? undefined : estimator.estimate(names[0]);
      const grown = item && growing(item);
      return { turn: plus(tested, grown?.cost ?? 0), once: listCost + 1, size: 'range', entries: grown?.entries };
    }
    default: {
      if (last === undefined) return { turn: 0, once: 0, size: 'range' };
      const value = estimator.estimate(last);
      if (name === 'transformMap') return { turn: plus(tested + 3, value.cost), once: mapCost + 1, size: 'range' };
      if (name === 'transformMapEntry') return { turn: plus(tested + 2, value.cost), once: mapCost + 1, size: 'range' };
      const grown = growing(value);
      return { turn: plus(tested, grown.cost), once: listCost + 1, size: 'range', entries: grown.entries };
    }
  }
}

const isTransform = (name: string): boolean => name === 'map' || name.startsWith('transform');

interface MacroParts {
  readonly target: Expression;
  readonly names: readonly Expression[];
  readonly rest: readonly Expression[];
}

/** The list becomes a variable, from which a loop makes the keys. */
function sortBy(estimator: Estimator, { target, names, rest }: MacroParts, type: StaticType): Estimated {
  const list = estimator.estimate(target);
  const input = estimator.part({ cost: 1, type: list.type, path: list.path, size: list.size, entries: list.entries });
  const loop = estimator.within(loopVariables(input, names.map(nameOf)), () =>
    turnOf(estimator, { kind: 'one', name: 'map', target, names, rest }, names),
  );
  const [key] = rest;
  const keyType: StaticType = { kind: 'list', item: key === undefined ? dyn : estimator.typeOf(key) };
  const keys = foldOver(estimator, { range: input, loop, type: keyType });
  const sorted = sortByEstimate(keys);
  const cost = [listCost, list.cost, input.cost, keys.cost, sorted.cost].reduce((sum, each) => plus(sum, each));
  return estimator.part({ cost, type, size: sorted.size });
}

/** The target is asked whether it has a value, and then for the value. */
function optionalMap(
  estimator: Estimator,
  { name, target, names, rest }: MacroParts & { readonly name: string },
  type: StaticType,
): Estimated {
  const optional = estimator.estimate(target);
  const inner = optional.type.kind === 'optional' ? optional.type.value : dyn;
  const value = estimator.part({ cost: plus(1, optional.cost), type: inner });
  const variable: LocalVariable = { type: inner, path: undefined, size: value.size, entries: undefined };
  const [body] = rest;
  const transform = estimator.within([[nameOf(names[0] ?? target), variable]], () =>
    body === undefined ? estimator.part({ cost: 0, type: simple('null') }) : estimator.estimate(body),
  );
  const bound = [listCost, value.cost, transform.cost].reduce((sum, each) => plus(sum, each));
  const chosen = name === 'optMap' ? plus(1, bound) : bound;
  const cost = [optional.cost, 1, Math.max(1, chosen)].reduce((sum, each) => plus(sum, each));
  return estimator.part({ cost, type, size: estimator.part({ cost: 0, type }).sizeOrUnknown });
}
