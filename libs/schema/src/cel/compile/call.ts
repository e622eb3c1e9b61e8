import { callCost } from '../cost/call-cost.ts';
import type { Callee } from '../functions/callee.ts';
import { functions } from '../functions/registry.ts';
import type { Expression } from '../syntax/ast.ts';
import { CelError, noSuchOverload } from '../values/error.ts';
import { Optional } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import { qualifiedName } from './access.ts';
import type { Compiled } from './compiled.ts';
import { compile, compileLiteral } from './expression.ts';
import { operators } from './operators.ts';
import { charge } from './scope.ts';
import type { Scope } from './scope.ts';
import { CelCompileError, dyn, simple } from './types.ts';
import type { StaticType } from './types.ts';
import type { Variables } from './variables.ts';

type Call = Expression & { kind: 'call' };

interface Resolved {
  /** With its namespace, if it has one. */
  readonly name: string;
  readonly isMember: boolean;
  readonly callee: Callee;
  readonly operands: readonly Expression[];
}

/** The function that a call means: of a namespace (`sets.contains`), global, or a method of the target. */
export function resolve({ name, target, args }: Call, variables: Variables): Resolved {
  const namespace = target === undefined ? undefined : qualifiedName(target, variables);
  const full = namespace === undefined ? name : `${namespace}.${name}`;
  const global = target === undefined || namespace !== undefined ? functions.get(full)?.global : undefined;
  if (global !== undefined) return { name: full, isMember: false, callee: global, operands: args };
  const member = target === undefined ? undefined : functions.get(name)?.member;
  if (member === undefined || target === undefined) {
    throw new CelCompileError(`undeclared reference to '${full}' (in container '')`);
  }
  return { name, isMember: true, callee: member, operands: [target, ...args] };
}

/** An operator, a function or a method. */
export function compileCall(expression: Call, variables: Variables): Compiled {
  const operator = expression.target === undefined ? operators.get(expression.name) : undefined;
  if (operator !== undefined) return operator(expression.args.map((argument) => compile(argument, variables)));
  const { name, isMember, callee, operands } = resolve(expression, variables);
  const { apply, arity, result } = callee;
  if (!arity.includes(operands.length)) {
    throw new CelCompileError(`found no matching overload for '${name}' with ${String(operands.length)} arguments`);
  }
  const inside = name === 'format' ? variables.mixing() : variables;
  const args = operands.map((operand) => compile(operand, inside));
  if (operands.every(({ kind }) => kind === 'literal')) checkConstant(name, args);
  checkPattern(name, operands);
  const types = args.map(({ type }) => type);
  const type: StaticType = typeof result === 'string' ? simple(result) : (result?.(types) ?? dyn);
  if (isMember && (name === 'or' || name === 'orValue')) return { run: alternative(name, args), type, form: 'call' };
  const constant = conversions.has(name) && !isMember && args.length === 1 && args[0]?.form === 'constant';
  const cost = constant ? undefined : callCost({ name, isMember, types });
  const run = (scope: Scope | undefined): Value => {
    const values = args.map(({ run: make }) => make(scope));
    if (cost !== undefined) charge(scope, cost(values));
    const value = apply(values);
    if (value === undefined) throw noSuchOverload();
    return value;
  };
  return { run, type, form: constant ? 'constant' : 'call' };
}

/** `or` and `orValue`: the other value is asked for only where there is none. */
function alternative(name: string, [optional, other]: readonly Compiled[]): Compiled['run'] {
  return (scope) => {
    if (optional === undefined || other === undefined) throw noSuchOverload();
    const first = optional.run(scope);
    if (!(first instanceof Optional)) throw noSuchOverload();
    if (first.value !== undefined) return name === 'or' ? first : first.value;
    const second = other.run(scope);
    if (name === 'or' && !(second instanceof Optional)) throw noSuchOverload();
    return second;
  };
}

/** Conversions that cel-go makes when it plans the expression, where what they convert is constant. */
const conversions = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
]);

const patternFunctions = ['matches', 'find', 'findAll'];

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
  ...patternFunctions,
]);

/** A constant pattern that cannot be used is refused at once, not when a text meets it. */
function checkPattern(name: string, operands: readonly Expression[]): void {
  const pattern = operands[1];
  if (!patternFunctions.includes(name) || pattern?.kind !== 'literal') return;
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
