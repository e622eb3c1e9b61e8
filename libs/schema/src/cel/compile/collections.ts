import { listCost, mapCost } from '../cost/limits.ts';
import type { Expression } from '../syntax/ast.ts';
import { noSuchOverload } from '../values/error.ts';
import { ArrayList, EntryMap, Optional } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import type { Compiled, Form } from './compiled.ts';
import { compile } from './expression.ts';
import { charge } from './scope.ts';
import type { Scope } from './scope.ts';
import { anything, CelCompileError, common, dyn, typeText } from './types.ts';
import type { StaticType } from './types.ts';
import type { Variables } from './variables.ts';

/** `[a, ?b]`. */
export function compileList(expression: Expression & { kind: 'list' }, variables: Variables): Compiled {
  const items = expression.items.map(({ value, optional }) => ({
    ...compileMember(value, variables, optional),
    optional,
  }));
  const item = items.reduce((known, { type }) => oneType(known, type, variables), dyn);
  const form = formOf(items);
  const run = (scope: Scope | undefined): Value => {
    const list = new ArrayList(items.flatMap(({ run: make, optional }) => spread(make(scope), optional)));
    if (form === 'call') charge(scope, listCost);
    return list;
  };
  return { run, type: { kind: 'list', item }, form };
}

/** A literal of constants is made once. */
const formOf = (parts: readonly Compiled[]): Form =>
  parts.every(({ form }) => form === 'constant') ? 'constant' : 'call';

/** One value of a literal, its type what an optional one holds. */
function compileMember(expression: Expression, variables: Variables, optional: boolean): Compiled {
  const compiled = compile(expression, variables);
  const { type } = compiled;
  if (!optional || (type.kind === 'dyn' && type.declared === undefined)) return compiled;
  if (type.kind === 'optional') return { ...compiled, type: type.value };
  throw mismatch({ kind: 'optional', value: type }, type);
}

/** Keys, values and items of a literal are of one type: unlike a comparison it takes no null among objects. */
function oneType(known: StaticType, type: StaticType, variables: Variables): StaticType {
  const both = common(known, type);
  if (both === undefined && !variables.mixed) throw mismatch(known, type);
  return both ?? anything;
}

const mismatch = (expected: StaticType, found: StaticType): CelCompileError =>
  new CelCompileError(`expected type '${typeText(expected)}' but found '${typeText(found)}'`);

function spread(value: Value, optional: boolean): Value[] {
  if (!optional) return [value];
  if (!(value instanceof Optional)) throw noSuchOverload();
  return value.value === undefined ? [] : [value.value];
}

/** `{a: b, ?c: d}`. */
export function compileMap(expression: Expression & { kind: 'map' }, variables: Variables): Compiled {
  let [keyType, valueType] = [dyn, dyn];
  const entries = expression.entries.map(({ key: keyExpression, value: valueExpression, optional }) => {
    const key = compile(keyExpression, variables);
    const value = compileMember(valueExpression, variables, optional);
    keyType = oneType(keyType, key.type, variables);
    valueType = oneType(valueType, value.type, variables);
    return { key, value, optional };
  });
  const form = formOf(entries.flatMap(({ key, value }) => [key, value]));
  const run = (scope: Scope | undefined): Value => {
    const map = new EntryMap();
    for (const { key, value, optional } of entries) {
      const [member] = spread(value.run(scope), optional);
      if (member !== undefined) map.add(key.run(scope), member);
    }
    if (form === 'call') charge(scope, mapCost);
    return map;
  };
  return { run, type: { kind: 'map', key: keyType, value: valueType }, form };
}
