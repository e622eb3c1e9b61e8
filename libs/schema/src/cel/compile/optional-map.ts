import type { Expression } from '../syntax/ast.ts';
import { noSuchOverload } from '../values/error.ts';
import { Optional } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import type { Compiled } from './compiled.ts';
import { compile } from './expression.ts';
import { variableName } from './loop.ts';
import { charge, inside } from './scope.ts';
import type { Scope } from './scope.ts';
import { CelCompileError, dyn } from './types.ts';
import type { StaticType } from './types.ts';
import type { Variables } from './variables.ts';

interface OptionalMacro {
  readonly name: string;
  readonly target: Expression;
  readonly names: readonly Expression[];
  readonly rest: readonly Expression[];
}

/**
 * `o.optMap(v, e)` and `o.optFlatMap(v, e)`: the expression runs when there is a value. cel-go asks the target whether it has a value and for the value, and
 * evaluates it each time; here it is evaluated once and counted twice.
 */
export function optionalMap({ name, target, names, rest }: OptionalMacro, variables: Variables): Compiled {
  const operand = compile(target, variables);
  const variable = variableName(names[0]);
  const [argument] = rest;
  if (argument === undefined) throw new CelCompileError('a macro lacks an argument');
  const inner: StaticType = operand.type.kind === 'optional' ? operand.type.value : dyn;
  const transform = compile(argument, variables.with([variable, inner]));
  const flat = name === 'optFlatMap';
  const run = (outer: Scope | undefined): Value => {
    const before = outer?.meter.spent ?? 0;
    const optional = operand.run(outer);
    if (!(optional instanceof Optional)) throw noSuchOverload();
    // `hasValue()`, and `optional.none()` where there is none.
    if (optional.value === undefined) {
      charge(outer, 2);
      return optional;
    }
    // `hasValue()`, `value()` with all that its target costs, and `optional.of()`.
    charge(outer, (flat ? 2 : 3) + (outer?.meter.spent ?? 0) - before);
    const value = transform.run(inside(outer, variable, optional.value));
    if (!flat) return new Optional(value);
    if (!(value instanceof Optional)) throw noSuchOverload();
    return value;
  };
  return { run, type: flat ? transform.type : { kind: 'optional', value: transform.type }, form: 'choice' };
}
