import type { Expression } from '../syntax/ast.ts';
import { compileHas } from './access.ts';
import type { Compiled } from './compiled.ts';
import { existsOne, filter, quantifier, sortBy, transformList, transformMap } from './comprehensions.ts';
import type { Comprehension } from './comprehensions.ts';
import { loopOver } from './loop.ts';
import { optionalMap } from './optional-map.ts';
import type { Variables } from './variables.ts';

type Call = Expression & { kind: 'call' };

const oneVariable: Readonly<Record<string, Comprehension>> = {
  all: quantifier(false),
  exists: quantifier(true),
  exists_one: existsOne,
  existsOne,
  filter,
  map: transformList,
};

const twoVariables: Readonly<Record<string, Comprehension>> = {
  all: quantifier(false),
  exists: quantifier(true),
  exists_one: existsOne,
  existsOne,
  transformList,
  transformMap: transformMap(false),
  transformMapEntry: transformMap(true),
};

/** A macro that a call is: what it loops over, its variables, and what it does with them. */
export interface Macro {
  readonly kind: 'has' | 'optional' | 'sortBy' | 'one' | 'two';
  readonly name: string;
  readonly target: Expression | undefined;
  readonly names: readonly Expression[];
  readonly rest: readonly Expression[];
}

/** The macro that the call is, which decides itself what of its arguments runs; undefined when it is none. */
export function macroOf({ name, target, args }: Call): Macro | undefined {
  const macro = (kind: Macro['kind'], variables: number): Macro => ({
    kind,
    name,
    target,
    names: args.slice(0, variables),
    rest: args.slice(variables),
  });
  const count = args.length;
  if (target === undefined) return name === 'has' && count === 1 ? macro('has', 0) : undefined;
  if ((name === 'optMap' || name === 'optFlatMap') && count === 2) return macro('optional', 1);
  if (name === 'sortBy' && count === 2) return macro('sortBy', 1);
  if (Object.hasOwn(oneVariable, name) && (count === 2 || (name === 'map' && count === 3))) return macro('one', 1);
  if (Object.hasOwn(twoVariables, name) && (count === 3 || (name.startsWith('transform') && count === 4)))
    return macro('two', 2);
  return undefined;
}

/** Compiles a macro; undefined when the call is none. */
export function compileMacro(call: Call, variables: Variables): Compiled | undefined {
  const macro = macroOf(call);
  if (macro === undefined) return undefined;
  const { kind, name, target, names, rest } = macro;
  if (target === undefined) return compileHas(rest[0], variables);
  if (kind === 'optional') return optionalMap({ ...macro, target }, variables);
  const loop = loopOver(target, names, variables);
  if (kind === 'sortBy') return sortBy(loop, rest);
  return (kind === 'one' ? oneVariable : twoVariables)[name]?.(loop, rest);
}
