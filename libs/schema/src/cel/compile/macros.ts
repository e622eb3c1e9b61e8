import type { Expression } from '../syntax/ast.ts';
import { CelError, noSuchOverload } from '../values/error.ts';
import { ArrayList, compare, EntryMap, List, MapValue, Optional } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import { compile, compileHas } from './expression.ts';
import type { Compiled, Variables } from './expression.ts';
import { attempt } from './operators.ts';
import type { Scope } from './scope.ts';
import { CelCompileError, dyn, simple, typeText } from './types.ts';
import type { StaticType } from './types.ts';

type Call = Expression & { kind: 'call' };

/** The variables of a comprehension: one is the item of a list or the key of a map, two are index or key and value. */
interface Loop {
  readonly range: Compiled;
  readonly names: readonly [string] | readonly [string, string];
  readonly variables: Variables;
}

/** Compiles a macro, which decides itself what of its arguments runs; undefined when the call is none. */
export function compileMacro(call: Call, variables: Variables): Compiled | undefined {
  const { name, target, args } = call;
  if (target === undefined) return name === 'has' && args.length === 1 ? compileHas(args[0], variables) : undefined;
  if (name === 'optMap' || name === 'optFlatMap')
    return args.length === 2 ? optionalMap(call, target, variables) : undefined;
  if (name === 'sortBy' && args.length === 2) return sortBy(loopOver(target, args.slice(0, 1), variables), args[1]);
  const one = oneVariable[name];
  if (one !== undefined && (args.length === 2 || (name === 'map' && args.length === 3))) {
    return one(loopOver(target, args.slice(0, 1), variables), args.slice(1));
  }
  const two = twoVariables[name];
  const filtered = name.startsWith('transform');
  if (two !== undefined && (args.length === 3 || (filtered && args.length === 4))) {
    return two(loopOver(target, args.slice(0, 2), variables), args.slice(2));
  }
  return undefined;
}

function variableName(argument: Expression | undefined): string {
  if (argument?.kind !== 'identifier') throw new CelCompileError('argument must be a simple name');
  return argument.name;
}

function loopOver(target: Expression, names: readonly Expression[], variables: Variables): Loop {
  const range = compile(target, variables);
  const { type } = range;
  if (type.kind === 'simple' || type.kind === 'object')
    throw new CelCompileError(
      `expression of type '${typeText(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    );
  const first = variableName(names[0]);
  const key = type.kind === 'map' ? type.key : type.kind === 'list' ? simple('int') : dyn;
  const item = type.kind === 'list' ? type.item : type.kind === 'map' ? type.value : dyn;
  if (names.length === 1) {
    const single: StaticType = type.kind === 'map' ? key : item;
    return { range, names: [first], variables: new Map([...variables, [first, single]]) };
  }
  const second = variableName(names[1]);
  return { range, names: [first, second], variables: new Map([...variables, [first, key], [second, item]]) };
}

/** One scope for each turn of the loop. */
function* turns(
  { range, names }: Loop,
  outer: Scope | undefined,
): Generator<{ scope: Scope; key: Value; item: Value }> {
  const value = range.run(outer);
  const [first, second] = names;
  if (value instanceof List) {
    for (let i = 0; i < value.size; i++) {
      const item = value.at(i);
      const key = BigInt(i);
      yield {
        key,
        item,
        scope: second === undefined ? { name: first, value: item, outer } : pair([first, key], [second, item], outer),
      };
    }
  } else if (value instanceof MapValue) {
    for (const key of value.keys()) {
      const item = value.get(key) ?? null;
      yield {
        key,
        item: second === undefined ? key : item,
        scope: second === undefined ? { name: first, value: key, outer } : pair([first, key], [second, item], outer),
      };
    }
  } else throw noSuchOverload();
}

function pair(first: readonly [string, Value], second: readonly [string, Value], outer: Scope | undefined): Scope {
  return { name: second[0], value: second[1], outer: { name: first[0], value: first[1], outer } };
}

type Macro = (loop: Loop, args: readonly Expression[]) => Compiled;

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
function quantifier(decisive: boolean): Macro {
  return (loop, [argument]) => {
    const predicate = body(loop, argument);
    const run = (outer: Scope | undefined): Value => {
      let failure: CelError | undefined;
      for (const { scope } of turns(loop, outer)) {
        const value = attempt(predicate, scope);
        if (value === decisive) return decisive;
        if (value instanceof CelError) failure ??= value;
        else if (typeof value !== 'boolean') failure ??= noSuchOverload();
      }
      if (failure !== undefined) throw failure;
      return !decisive;
    };
    return { run, type: simple('bool') };
  };
}

const existsOne: Macro = (loop, [argument]) => {
  const predicate = body(loop, argument);
  const run = (outer: Scope | undefined): Value => {
    let count = 0;
    for (const { scope } of turns(loop, outer)) if (truth(predicate.run(scope))) count++;
    return count === 1;
  };
  return { run, type: simple('bool') };
};

const filter: Macro = (loop, [argument]) => {
  const predicate = body(loop, argument);
  const run = (outer: Scope | undefined): Value => {
    const kept: Value[] = [];
    for (const { scope, item } of turns(loop, outer)) if (truth(predicate.run(scope))) kept.push(item);
    return new ArrayList(kept);
  };
  const { type } = loop.range;
  return { run, type: { kind: 'list', item: type.kind === 'list' ? type.item : type.kind === 'map' ? type.key : dyn } };
};

/** `map` and `transformList`: the last argument gives the items, one before it says which turns count. */
const transformList: Macro = (loop, args) => {
  const predicate = args.length === 2 ? body(loop, args[0]) : undefined;
  const transform = body(loop, args.at(-1));
  const run = (outer: Scope | undefined): Value => {
    const items: Value[] = [];
    for (const { scope } of turns(loop, outer))
      if (predicate === undefined || truth(predicate.run(scope))) items.push(transform.run(scope));
    return new ArrayList(items);
  };
  return { run, type: { kind: 'list', item: transform.type } };
};

function transformMap(entries: boolean): Macro {
  return (loop, args) => {
    const predicate = args.length === 2 ? body(loop, args[0]) : undefined;
    const transform = body(loop, args.at(-1));
    const run = (outer: Scope | undefined): Value => {
      const map = new EntryMap();
      for (const { scope, key } of turns(loop, outer)) {
        if (predicate !== undefined && !truth(predicate.run(scope))) continue;
        const value = transform.run(scope);
        if (!entries) map.add(key, value);
        else if (value instanceof MapValue) for (const each of value.keys()) map.add(each, value.get(each) ?? null);
        else throw noSuchOverload();
      }
      return map;
    };
    const key = loop.variables.get(loop.names[0]) ?? dyn;
    return { run, type: entries ? transform.type : { kind: 'map', key, value: transform.type } };
  };
}

const oneVariable: Readonly<Record<string, Macro>> = {
  all: quantifier(false),
  exists: quantifier(true),
  exists_one: existsOne,
  existsOne,
  filter,
  map: transformList,
};

const twoVariables: Readonly<Record<string, Macro>> = {
  all: quantifier(false),
  exists: quantifier(true),
  exists_one: existsOne,
  existsOne,
  transformList,
  transformMap: transformMap(false),
  transformMapEntry: transformMap(true),
};

function sortBy(loop: Loop, argument: Expression | undefined): Compiled {
  const key = body(loop, argument);
  const run = (outer: Scope | undefined): Value => {
    const keyed = [...turns(loop, outer)].map(({ scope, item }) => ({ item, key: key.run(scope) }));
    return new ArrayList(keyed.sort((a, b) => compare(a.key, b.key)).map(({ item }) => item));
  };
  return { run, type: loop.range.type };
}

/** `o.optMap(v, e)` and `o.optFlatMap(v, e)`: the expression runs when there is a value. */
function optionalMap({ name, args }: Call, target: Expression, variables: Variables): Compiled {
  const operand = compile(target, variables);
  const variable = variableName(args[0]);
  const [, argument] = args;
  if (argument === undefined) throw new CelCompileError('a macro lacks an argument');
  const inner: StaticType = operand.type.kind === 'optional' ? operand.type.value : dyn;
  const transform = compile(argument, new Map([...variables, [variable, inner]]));
  const run = (outer: Scope | undefined): Value => {
    const optional = operand.run(outer);
    if (!(optional instanceof Optional)) throw noSuchOverload();
    if (optional.value === undefined) return optional;
    const value = transform.run({ name: variable, value: optional.value, outer });
    if (name === 'optMap') return new Optional(value);
    if (!(value instanceof Optional)) throw noSuchOverload();
    return value;
  };
  return { run, type: name === 'optMap' ? { kind: 'optional', value: transform.type } : transform.type };
}
