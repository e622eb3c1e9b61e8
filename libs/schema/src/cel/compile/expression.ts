import type { Callee } from '../functions/callee.ts';
import { functions } from '../functions/registry.ts';
import type { Expression } from '../syntax/ast.ts';
import { CelError, noSuchOverload } from '../values/error.ts';
import {
  ArrayList,
  display,
  EntryMap,
  equal,
  List,
  MapValue,
  numeric,
  Optional,
  TypeValue,
  Uint,
} from '../values/value.ts';
import type { Value } from '../values/value.ts';
import { compileMacro } from './macros.ts';
import { operators } from './operators.ts';
import { lookUp } from './scope.ts';
import type { Scope } from './scope.ts';
import { anything, CelCompileError, common, compatible, dyn, memberType, simple, typeText } from './types.ts';
import type { StaticType } from './types.ts';

/** The variables that an expression may name, with their types. */
export type Variables = ReadonlyMap<string, StaticType>;

/** An expression that can run, and the type of its value as far as it is known. */
export interface Compiled {
  readonly run: (scope: Scope | undefined) => Value;
  readonly type: StaticType;
}

const typeNames = new Map(
  ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'list', 'map', 'null_type', 'type', 'optional_type'].map(
    (name) => [name, new TypeValue(name)],
  ),
);
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

/** Makes closures of an expression. Throws {@link CelCompileError} for a name, field or function that is not known. */
export function compile(expression: Expression, variables: Variables): Compiled {
  switch (expression.kind) {
    case 'literal':
      return compileLiteral(expression.value);
    case 'identifier':
      return compileIdentifier(expression.name, variables);
    case 'select':
      return compileSelect(expression, variables);
    case 'index':
      return compileIndex(expression, variables);
    case 'list':
      return compileList(expression, variables);
    case 'map':
      return compileMap(expression, variables);
    case 'call':
      return compileMacro(expression, variables) ?? compileCall(expression, variables);
  }
}

function compileLiteral(literal: (Expression & { kind: 'literal' })['value']): Compiled {
  const value: Value =
    typeof literal === 'object' && literal !== null && 'uint' in literal ? new Uint(literal.uint) : literal;
  return { run: () => value, type: simple(literalTypeName(value)) };
}

const literalTypes = { boolean: 'bool', bigint: 'int', number: 'double', string: 'string' } as const;

function literalTypeName(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return value instanceof Uint ? 'uint' : 'bytes';
  return literalTypes[typeof value as keyof typeof literalTypes];
}

function compileIdentifier(name: string, variables: Variables): Compiled {
  const type = variables.get(name);
  if (type === undefined) {
    const typeValue = typeNames.get(name);
    if (typeValue === undefined) throw new CelCompileError(`undeclared reference to '${name}' (in container '')`);
    return { run: () => typeValue, type: simple('type') };
  }
  return {
    run: (scope) => {
      const value = lookUp(scope, name);
      if (value === undefined) throw new CelError(`no such attribute: ${name}`);
      return value;
    },
    type,
  };
}

/** `a.b.c` when it is only names, the first of which is no variable. */
function qualifiedName(expression: Expression, variables: Variables): string | undefined {
  if (expression.kind === 'identifier') return variables.has(expression.name) ? undefined : expression.name;
  if (expression.kind !== 'select' || expression.optional) return undefined;
  const operand = qualifiedName(expression.operand, variables);
  return operand === undefined ? undefined : `${operand}.${expression.field}`;
}

function compileSelect(expression: Expression & { kind: 'select' }, variables: Variables): Compiled {
  const name = qualifiedName(expression, variables);
  if (name !== undefined && qualifiedTypeNames.has(name)) {
    const value = new TypeValue(name);
    return { run: () => value, type: simple('type') };
  }
  const operand = compile(expression.operand, variables);
  const { field, optional } = expression;
  const type = memberType(operand.type, field);
  if (optional) {
    return {
      run: (scope) => selectOptional(operand.run(scope), field),
      type: type.kind === 'optional' ? type : { kind: 'optional', value: type },
    };
  }
  return { run: (scope) => select(operand.run(scope), field), type };
}

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
  return {
    run: (scope) => {
      const value = operand.run(scope);
      const target = value instanceof Optional ? value.value : value;
      if (target === undefined) return false;
      if (!(target instanceof MapValue)) throw noSuchOverload();
      return target.get(field) !== undefined;
    },
    type: simple('bool'),
  };
}

function compileIndex(expression: Expression & { kind: 'index' }, variables: Variables): Compiled {
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
  const find = (scope: Scope | undefined): Value => {
    const target = operand.run(scope);
    const key = index.run(scope);
    return chained || target instanceof Optional ? indexOptional(target, key) : at(target, key);
  };
  return { run: find, type: chained ? { kind: 'optional', value: item } : item };
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

function compileList(expression: Expression & { kind: 'list' }, variables: Variables): Compiled {
  const items = expression.items.map(({ value, optional }) => ({
    ...compileMember(value, variables, optional),
    optional,
  }));
  const item = items.reduce((known, { type }) => oneType(known, type, variables), dyn);
  return {
    run: (scope) => new ArrayList(items.flatMap(({ run, optional }) => spread(run(scope), optional))),
    type: { kind: 'list', item },
  };
}

/** One value of a literal, its type what an optional one holds. */
function compileMember(expression: Expression, variables: Variables, optional: boolean): Compiled {
  const { run, type } = compile(expression, variables);
  if (!optional || (type.kind === 'dyn' && type.declared === undefined)) return { run, type };
  if (type.kind === 'optional') return { run, type: type.value };
  throw mismatch({ kind: 'optional', value: type }, type);
}

/** Keys, values and items of a literal are of one type: unlike a comparison it takes no null among objects. */
function oneType(known: StaticType, type: StaticType, variables: Variables): StaticType {
  const both = common(known, type);
  if (both === undefined && !variables.has(mixedLiterals)) throw mismatch(known, type);
  return both ?? anything;
}

const mismatch = (expected: StaticType, found: StaticType): CelCompileError =>
  new CelCompileError(`expected type '${typeText(expected)}' but found '${typeText(found)}'`);

/** No name in an expression is spelt so. Where it is among the variables, literals may mix types: anywhere in what `format` is called with. */
export const mixedLiterals = '\0mixed';

function spread(value: Value, optional: boolean): Value[] {
  if (!optional) return [value];
  if (!(value instanceof Optional)) throw noSuchOverload();
  return value.value === undefined ? [] : [value.value];
}

function compileMap(expression: Expression & { kind: 'map' }, variables: Variables): Compiled {
  let [keyType, valueType] = [dyn, dyn];
  const entries = expression.entries.map(({ key: keyExpression, value: valueExpression, optional }) => {
    const key = compile(keyExpression, variables);
    const value = compileMember(valueExpression, variables, optional);
    keyType = oneType(keyType, key.type, variables);
    valueType = oneType(valueType, value.type, variables);
    return { key, value, optional };
  });
  return {
    run: (scope) => {
      const map = new EntryMap();
      for (const { key, value, optional } of entries) {
        const [member] = spread(value.run(scope), optional);
        if (member !== undefined) map.add(key.run(scope), member);
      }
      return map;
    },
    type: { kind: 'map', key: keyType, value: valueType },
  };
}

interface Resolved {
  readonly callee: Callee;
  readonly operands: readonly Expression[];
}

/** The function that a call means: of a namespace (`sets.contains`), global, or a method of the target. */
function resolve({ name, target, args }: Expression & { kind: 'call' }, variables: Variables): Resolved {
  const namespace = target === undefined ? undefined : qualifiedName(target, variables);
  const full = namespace === undefined ? name : `${namespace}.${name}`;
  const global = target === undefined || namespace !== undefined ? functions.get(full)?.global : undefined;
  if (global !== undefined) return { callee: global, operands: args };
  const member = target === undefined ? undefined : functions.get(name)?.member;
  if (member === undefined || target === undefined) {
    throw new CelCompileError(`undeclared reference to '${full}' (in container '')`);
  }
  return { callee: member, operands: [target, ...args] };
}

function compileCall(expression: Expression & { kind: 'call' }, variables: Variables): Compiled {
  const { name, target } = expression;
  const operator = target === undefined ? operators.get(name) : undefined;
  if (operator !== undefined) return operator(expression.args.map((argument) => compile(argument, variables)));
  const { callee, operands } = resolve(expression, variables);
  const { apply, arity, result } = callee;
  if (!arity.includes(operands.length)) {
    throw new CelCompileError(`found no matching overload for '${name}' with ${String(operands.length)} arguments`);
  }
  const inside = name === 'format' ? new Map([...variables, [mixedLiterals, dyn]]) : variables;
  const args = operands.map((operand) => compile(operand, inside));
  if (operands.every(({ kind }) => kind === 'literal')) checkConstant(name, args);
  checkPattern(name, operands);
  return {
    run: (scope) => {
      const value = apply(args.map(({ run }) => run(scope)));
      if (value === undefined) throw noSuchOverload();
      return value;
    },
    type: typeof result === 'string' ? simple(result) : (result?.(args.map(({ type }) => type)) ?? dyn),
  };
}

/** Functions that cel-go evaluates while it compiles, where their arguments are constant. */
const folded = new Set([
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'bytes',
  'duration',
  'timestamp',
  'matches',
  'find',
  'findAll',
]);

/** A constant pattern that cannot be used is refused at once, not when a text meets it. */
function checkPattern(name: string, operands: readonly Expression[]): void {
  const pattern = operands[1];
  if (!['matches', 'find', 'findAll'].includes(name) || pattern?.kind !== 'literal') return;
  checkConstant(name, [compileLiteral(''), compileLiteral(pattern.value)]);
}

/** What is constant and has no value is refused at once, as cel-go does for its own conversions. */
function checkConstant(name: string, args: readonly Compiled[]): void {
  if (!folded.has(name)) return;
  const named = functions.get(name);
  const callee = named?.global?.arity.includes(args.length) === true ? named.global : named?.member;
  try {
    callee?.apply(args.map(({ run }) => run(undefined)));
  } catch (error) {
    if (error instanceof CelError) throw new CelCompileError(error.message);
    throw error;
  }
}

/** `a in b` for lists and maps. */
export function contains(container: Value, value: Value): boolean {
  if (container instanceof MapValue) return container.get(value) !== undefined;
  if (!(container instanceof List)) throw noSuchOverload();
  return container.items().some((item) => equal(item, value));
}
