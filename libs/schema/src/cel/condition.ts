import type { JsonObject, JsonValue } from '../json.ts';
import { compile } from './compile/expression.ts';
import { inside } from './compile/scope.ts';
import type { Scope } from './compile/scope.ts';
import { CelCompileError, dyn } from './compile/types.ts';
import { Variables } from './compile/variables.ts';
import { CostExceeded } from './cost/meter.ts';
import { UnsupportedRule } from './rules/rule.ts';
import { dynamicValue } from './schema/dynamic.ts';
import { CelSyntaxError } from './syntax/ast.ts';
import { parse } from './syntax/parser.ts';
import { CelError } from './values/error.ts';
import type { Value } from './values/value.ts';

/** What a condition came to: whether it holds, or why that can't be said. */
export type ConditionResult = { readonly holds: boolean } | { readonly error: string };

/** A condition that can be asked. */
export type Condition = (variables: JsonObject) => ConditionResult;

/**
 * Compiles a condition over variables of which no schema says anything, like a webhook's `matchConditions` (KEP-3716). Throws {@link UnsupportedRule}
 * for an expression that does not parse, names something else, or can't come to a truth value.
 */
export function compileCondition(expression: string, variables: readonly string[]): Condition {
  const { evaluate, type } = compileDynamic(expression, variables);
  if (type.kind !== 'dyn' && !(type.kind === 'simple' && type.name === 'bool'))
    throw new UnsupportedRule(expression, 'must evaluate to bool', undefined);
  return (values) => asCondition(evaluate(scopeOf(variables, values)));
}

/** What an expression came to, or why it has no value. */
export type Evaluation = { readonly value: Value } | { readonly error: string };

/** Compiles an expression over variables of which no schema says anything, and which may make messages. Throws {@link UnsupportedRule}. */
export function compileDynamic(expression: string, variables: readonly string[], messages = false) {
  const { run, type } = attempt(expression, () =>
    compile(
      parse(expression),
      Variables.of(
        variables.map((name) => [name, dyn]),
        messages,
      ),
    ),
  );
  const evaluate = (scope: Scope | undefined): Evaluation => {
    try {
      return { value: run(scope) };
    } catch (error) {
      if (error instanceof CelError || error instanceof CostExceeded) return { error: error.message };
      throw error;
    }
  };
  return { run, evaluate, type };
}

/** A value as that of a condition. */
export function asCondition(evaluation: Evaluation): ConditionResult {
  if ('error' in evaluation) return evaluation;
  return typeof evaluation.value === 'boolean' ? { holds: evaluation.value } : { error: 'must evaluate to bool' };
}

/** The scope in which these names have these values; a name without a value is null. */
export function scopeOf(names: readonly string[], values: JsonObject): Scope | undefined {
  return names.reduce<Scope | undefined>((outer, name) => {
    const json: JsonValue = values[name] ?? null;
    return inside(outer, name, dynamicValue(json));
  }, undefined);
}

function attempt<T>(expression: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof CelSyntaxError || error instanceof CelCompileError)
      throw new UnsupportedRule(expression, error.message, error);
    throw error;
  }
}
