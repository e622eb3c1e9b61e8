import type { Expression } from '../syntax/ast.ts';
import { noSuchOverload } from '../values/error.ts';
import { List, MapValue } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import type { Compiled } from './compiled.ts';
import { compile } from './expression.ts';
import { inside } from './scope.ts';
import type { Scope } from './scope.ts';
import { CelCompileError, dyn, simple, typeText } from './types.ts';
import type { StaticType } from './types.ts';
import type { Variables } from './variables.ts';

/** The variables of a comprehension: one is the item of a list or the key of a map, two are index or key and value. */
export interface Loop {
  readonly range: Compiled;
  readonly names: readonly [string] | readonly [string, string];
  readonly variables: Variables;
}

/** The name that a macro gives to a variable. */
export function variableName(argument: Expression | undefined): string {
  if (argument?.kind !== 'identifier') throw new CelCompileError('argument must be a simple name');
  return argument.name;
}

/** A loop over the target. Throws {@link CelCompileError} where that is neither list nor map. */
export function loopOver(target: Expression, names: readonly Expression[], variables: Variables): Loop {
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
    return { range, names: [first], variables: variables.with([first, single]) };
  }
  const second = variableName(names[1]);
  return { range, names: [first, second], variables: variables.with([first, key], [second, item]) };
}

/** One turn of a loop. */
export interface Turn {
  readonly scope: Scope | undefined;
  readonly key: Value;
  readonly item: Value;
}

/** One scope for each turn of the loop. */
export function* turns({ range, names }: Loop, outer: Scope | undefined): Generator<Turn> {
  const value = range.run(outer);
  const [first, second] = names;
  if (value instanceof List) {
    for (let i = 0; i < value.size; i++) {
      const item = value.at(i);
      const key = BigInt(i);
      const inner = second === undefined ? inside(outer, first, item) : inside(inside(outer, first, key), second, item);
      yield { key, item, scope: inner };
    }
  } else if (value instanceof MapValue) {
    for (const key of value.keys()) {
      const item = value.get(key) ?? null;
      if (second === undefined) yield { key, item: key, scope: inside(outer, first, key) };
      else yield { key, item, scope: inside(inside(outer, first, key), second, item) };
    }
  } else throw noSuchOverload();
}
