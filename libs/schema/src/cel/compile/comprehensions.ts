import { sortCost } from '../cost/call-cost.ts';
import { listCost } from '../cost/limits.ts';
import type { Expression } from '../syntax/ast.ts';
import { CelError, noSuchOverload } from '../values/error.ts';
import { ArrayList, compare, EntryMap, MapValue } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import type { Compiled } from './compiled.ts';
import { compile } from './expression.ts';
import { turns } from './loop.ts';
import type { Loop } from './loop.ts';
import { attempt } from './operators.ts';
import { charge } from './scope.ts';
import type { Scope } from './scope.ts';
import { CelCompileError, dyn, simple } from './types.ts';

// Costs are those of what cel-go's macros expand to: the accumulator is a variable (1), `!`, `+` and the test before each turn are calls (1 each).

/** Compiles what a comprehension does in each turn. */
export type Comprehension = (loop: Loop, args: readonly Expression[]) => Compiled;

function body(loop: Loop, argument: Expression | undefined): Compiled {
  if (argument === undefined) throw new CelCompileError('a macro lacks an argument');
  return compile(argument, loop.variables);
}

function truth(value: Value | CelError): boolean {
  if (value instanceof CelError) throw value;
  if (typeof value !== 'boolean') throw noSuchOverload();
  return value;
}

/** `all` and `exists`: one decisive turn decides, and errors of other turns do not matter then. */
export function quantifier(decisive: boolean): Comprehension {
  const test = decisive ? 3 : 2;
  return (loop, [argument]) => {
    const predicate = body(loop, argument);
    const run = (outer: Scope | undefined): Value => {
      let failure: CelError | undefined;
      let decided = false;
      for (const { scope } of turns(loop, outer)) {
        charge(outer, test);
        if (decided) break;
        charge(outer, 1);
        const value = attempt(predicate, scope);
        if (value === decisive) decided = true;
        else if (value instanceof CelError) failure ??= value;
        else if (typeof value !== 'boolean') failure ??= noSuchOverload();
      }
      charge(outer, 1);
      if (decided) return decisive;
      if (failure !== undefined) throw failure;
      return !decisive;
    };
    return { run, type: simple('bool'), form: 'call' };
  };
}

/** `exists_one`: true when the predicate holds in one turn. */
export const existsOne: Comprehension = (loop, [argument]) => {
  const predicate = body(loop, argument);
  const run = (outer: Scope | undefined): Value => {
    let count = 0;
    for (const { scope } of turns(loop, outer)) {
      if (!truth(predicate.run(scope))) continue;
      count++;
      charge(outer, 2);
    }
    charge(outer, 2);
    return count === 1;
  };
  return { run, type: simple('bool'), form: 'call' };
};

/** Cost of adding one item to the list that a comprehension makes, whose list literal is free when the item is constant. */
const addition = (item: Compiled | undefined): number => 2 + (item?.form === 'constant' ? 0 : listCost);

/** `filter`: the items of a list, or keys of a map, for which the predicate holds. */
export const filter: Comprehension = (loop, [argument]) => {
  const predicate = body(loop, argument);
  const run = (outer: Scope | undefined): Value => {
    const kept: Value[] = [];
    for (const { scope, item } of turns(loop, outer)) {
      if (!truth(predicate.run(scope))) continue;
      charge(outer, addition(undefined) + 1);
      kept.push(item);
    }
    charge(outer, 1);
    return new ArrayList(kept);
  };
  const { type } = loop.range;
  const item = type.kind === 'list' ? type.item : type.kind === 'map' ? type.key : dyn;
  return { run, type: { kind: 'list', item }, form: 'call' };
};

/** `map` and `transformList`: the last argument gives the items, one before it says which turns count. */
export const transformList: Comprehension = (loop, args) => {
  const predicate = args.length === 2 ? body(loop, args[0]) : undefined;
  const transform = body(loop, args.at(-1));
  const cost = addition(transform);
  const run = (outer: Scope | undefined): Value => {
    const items: Value[] = [];
    for (const { scope } of turns(loop, outer)) {
      if (predicate !== undefined && !truth(predicate.run(scope))) continue;
      items.push(transform.run(scope));
      charge(outer, cost);
    }
    charge(outer, 1);
    return new ArrayList(items);
  };
  return { run, type: { kind: 'list', item: transform.type }, form: 'call' };
};

/** `transformMap`, which keeps the keys, and `transformMapEntry`, whose turns give entries. */
export function transformMap(entries: boolean): Comprehension {
  return (loop, args) => {
    const predicate = args.length === 2 ? body(loop, args[0]) : undefined;
    const transform = body(loop, args.at(-1));
    const run = (outer: Scope | undefined): Value => {
      const map = new EntryMap();
      for (const { scope, key } of turns(loop, outer)) {
        if (predicate !== undefined && !truth(predicate.run(scope))) continue;
        const value = transform.run(scope);
        charge(outer, entries ? 2 : 3);
        if (!entries) map.add(key, value);
        else if (value instanceof MapValue) for (const each of value.keys()) map.add(each, value.get(each) ?? null);
        else throw noSuchOverload();
      }
      charge(outer, 1);
      return map;
    };
    const key = loop.variables.get(loop.names[0]) ?? dyn;
    const type = entries ? transform.type : ({ kind: 'map', key, value: transform.type } as const);
    return { run, type, form: 'call' };
  };
}

/** `sortBy`: the items in the order of what the argument gives for each. */
export const sortBy: Comprehension = (loop, [argument]) => {
  const key = body(loop, argument);
  const cost = addition(key);
  const run = (outer: Scope | undefined): Value => {
    const keyed: { readonly item: Value; readonly key: Value }[] = [];
    for (const { scope, item } of turns(loop, outer)) {
      keyed.push({ item, key: key.run(scope) });
      charge(outer, cost);
    }
    // The list is a variable of its own, for the loop that makes the keys and for the sort.
    charge(outer, 3 + sortCost(new ArrayList(keyed.map((each) => each.key))));
    return new ArrayList(keyed.sort((a, b) => compare(a.key, b.key)).map(({ item }) => item));
  };
  return { run, type: loop.range.type, form: 'call' };
};
