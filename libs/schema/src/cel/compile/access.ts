import type { Expression } from '../syntax/ast.ts';
import { CelError, noSuchOverload } from '../values/error.ts';
import { display, List, MapValue, numeric, Optional, TypeValue } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import { isAttribute } from './compiled.ts';
import type { Compiled } from './compiled.ts';
import { compile } from './expression.ts';
import { charge } from './scope.ts';
import type { Scope } from './scope.ts';
import { CelCompileError, compatible, dyn, memberType, simple, typeText } from './types.ts';
import type { StaticType } from './types.ts';
import type { Variables } from './variables.ts';

const qualifiedTypeNames = new Set([
  'google.protobuf.Duration',
  'google.protobuf.Timestamp',
  'net.IP',
  'net.CIDR',
  'kubernetes.URL',
  'kubernetes.Quantity',
  'kubernetes.Semver',
  'kubernetes.NamedFormat',
]);

/** `a.b.c` when it is only names, the first of which is no variable. */
export function qualifiedName(expression: Expression, variables: Variables): string | undefined {
  if (expression.kind === 'identifier')
    return variables.get(expression.name) === undefined ? expression.name : undefined;
  if (expression.kind !== 'select' || expression.optional) return undefined;
  const operand = qualifiedName(expression.operand, variables);
  return operand === undefined ? undefined : `${operand}.${expression.field}`;
}

/** True for names like `google.protobuf.Duration`, which are a type and no fields. */
export function isTypeName(expression: Expression, variables: Variables): boolean {
  const name = qualifiedName(expression, variables);
  return name !== undefined && qualifiedTypeNames.has(name);
}

/** `a.b` and `a.?b`. */
export function compileSelect(expression: Expression & { kind: 'select' }, variables: Variables): Compiled {
  if (isTypeName(expression, variables)) {
    const value = new TypeValue(qualifiedName(expression, variables) ?? '');
    return { run: () => value, type: simple('type'), form: 'constant' };
  }
  const operand = compile(expression.operand, variables);
  const { field, optional } = expression;
  const type = memberType(operand.type, field);
  const form = operand.form === 'choice' ? 'choice' : 'attribute';
  const cost = isAttribute(operand) ? 1 : 2;
  if (!optional && operand.type.kind !== 'optional' && operand.type.kind !== 'dyn') {
    const run = (scope: Scope | undefined): Value => {
      const value = operand.run(scope);
      charge(scope, cost);
      return select(value, field);
    };
    return { run, type, form };
  }
  const run = (scope: Scope | undefined): Value => {
    const value = operand.run(scope);
    const found = optional ? selectOptional(value, field) : select(value, field);
    charge(scope, isNone(found) ? cost - 1 : cost);
    return found;
  };
  return { run, type: !optional || type.kind === 'optional' ? type : { kind: 'optional', value: type }, form };
}

const isNone = (value: Value): boolean => value instanceof Optional && value.value === undefined;

function select(operand: Value, field: string): Value {
  if (operand instanceof Optional) return selectOptional(operand, field);
  if (!(operand instanceof MapValue)) throw noSuchOverload();
  const value = operand.get(field);
  if (value === undefined) throw new CelError(`no such key: ${field}`);
  return value;
}

function selectOptional(operand: Value, field: string): Optional {
  const target = operand instanceof Optional ? operand.value : operand;
  if (target === undefined) return new Optional(undefined);
  if (!(target instanceof MapValue)) throw noSuchOverload();
  return new Optional(target.get(field));
}

/** `has(a.b)`: true when the field is there; the operand itself must be. */
export function compileHas(argument: Expression | undefined, variables: Variables): Compiled {
  if (argument?.kind !== 'select' || argument.optional) throw new CelCompileError('invalid argument to has() macro');
  const operand = compile(argument.operand, variables);
  const { field } = argument;
  memberType(operand.type, field);
  const cost = isAttribute(operand) ? 0 : 1;
  const run = (scope: Scope | undefined): Value => {
    const value = operand.run(scope);
    charge(scope, cost);
    const target = value instanceof Optional ? value.value : value;
    if (target === undefined) return false;
    if (!(target instanceof MapValue)) throw noSuchOverload();
    return target.get(field) !== undefined;
  };
  return { run, type: simple('bool'), form: 'choice' };
}

/** `a[b]` and `a[?b]`. */
export function compileIndex(expression: Expression & { kind: 'index' }, variables: Variables): Compiled {
  const operand = compile(expression.operand, variables);
  const index = compile(expression.index, variables);
  const inner = operand.type.kind === 'optional' ? operand.type.value : operand.type;
  const item = inner.kind === 'list' ? inner.item : inner.kind === 'map' ? inner.value : dyn;
  if (!takesIndex(inner, index.type)) {
    const name = expression.optional ? '_[?_]' : '_[_]';
    const types = `${typeText(operand.type)}, ${typeText(index.type)}`;
    throw new CelCompileError(`found no matching overload for '${name}' applied to '(${types})'`);
  }
  const chained = expression.optional || operand.type.kind === 'optional';
  const cost = (isAttribute(operand) ? 0 : 1) + (isAttribute(index) ? 0 : 1);
  const run = (scope: Scope | undefined): Value => {
    const target = operand.run(scope);
    const key = index.run(scope);
    const value = chained || target instanceof Optional ? indexOptional(target, key) : at(target, key);
    charge(scope, isNone(value) ? cost - 1 : cost);
    return value;
  };
  const form = operand.form === 'choice' ? 'choice' : 'attribute';
  return { run, type: chained ? { kind: 'optional', value: item } : item, form };
}

function takesIndex(target: StaticType, index: StaticType): boolean {
  if (target.kind === 'list') return compatible(index, simple('int'));
  return target.kind === 'map' ? compatible(index, target.key) : target.kind === 'dyn';
}

function indexOptional(operand: Value, key: Value): Optional {
  const target = operand instanceof Optional ? operand.value : operand;
  if (target === undefined) return new Optional(undefined);
  if (target instanceof MapValue) return new Optional(target.get(key));
  if (!(target instanceof List)) throw noSuchOverload();
  const position = listPosition(target, key);
  return new Optional(position === undefined ? undefined : target.at(position));
}

function at(operand: Value, key: Value): Value {
  if (operand instanceof MapValue) {
    const value = operand.get(key);
    if (value === undefined) throw new CelError(`no such key: ${display(key)}`);
    return value;
  }
  if (!(operand instanceof List)) throw noSuchOverload();
  const position = listPosition(operand, key);
  if (position === undefined) throw new CelError(`index out of bounds: ${display(key)}`);
  return operand.at(position);
}

function listPosition(list: List, key: Value): number | undefined {
  const position = numeric(key);
  if (position === undefined)
    throw new CelError(`unsupported index type '${key === null ? 'null_type' : typeof key}' in list`);
  const index = Number(position);
  return Number.isInteger(index) && index >= 0 && index < list.size ? index : undefined;
}
