import type { FieldError } from '../../field-error.ts';
import { fieldPath } from '../../internal/field-path.ts';
import type { FieldPath } from '../../internal/field-path.ts';
import { byteLength, quote } from '../../internal/go-text.ts';
import type { JsonValue } from '../../json.ts';
import type { ValidationRule } from '../../schema-props.ts';
import type { Scope } from '../compile/scope.ts';
import { callLimit } from '../cost/limits.ts';
import { CostExceeded, Meter } from '../cost/meter.ts';
import type { CelError } from '../values/error.ts';
import { evaluate } from './budget.ts';
import type { Budget } from './budget.ts';
import type { CompiledRule } from './rule.ts';

/** Longest message of a `messageExpression`, in bytes. */
const longestMessage = 5 * 1024;

/** Where a rule did not hold. */
export interface Failure {
  readonly scope: Scope;
  readonly value: JsonValue;
  readonly path: FieldPath | undefined;
  readonly type: string;
  readonly budget: Budget;
}

/** What the API server says when a rule is false. A message expression for which nothing is left ends the budget, and says so instead. */
export function ruleFailure(compiled: CompiledRule, { scope, value, path, type, budget }: Failure): FieldError {
  const { rule } = compiled;
  const field = compiled.path === '' ? fieldPath(path) : fieldPath({ parent: path, child: compiled.path });
  const message = messageOf(compiled, scope, budget);
  if (budget.exhausted) return { type: 'FieldValueInvalid', field, value: type, detail: message ?? '' };
  const detail = message ?? (rule.message ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`);
  const shown = type === 'object' || type === 'array' ? {} : { value };
  switch (rule.reason) {
    case 'FieldValueForbidden':
    case 'FieldValueRequired':
      return { type: rule.reason, field, detail };
    case 'FieldValueDuplicate':
      return { type: rule.reason, field, ...shown, detail: '' };
    default:
      return { type: 'FieldValueInvalid', field, ...shown, detail };
  }
}

/** The message of the expression; undefined when it has none that can be shown. Where it costs too much, why. */
function messageOf({ message, rule }: CompiledRule, scope: Scope, budget: Budget): string | undefined {
  if (message === undefined) return undefined;
  const meter = new Meter(callLimit);
  const text = evaluate(() => message.run(metered(scope, meter)));
  if (!budget.spend(meter.spent)) return `messageExpression evaluation failed due to running out of ${costBudget}`;
  if (text instanceof CostExceeded) {
    budget.exhaust();
    return `${nothingFurther} due to call cost exceeds limit for messageExpression: ${quote(rule.messageExpression ?? '')}`;
  }
  const trimmed = typeof text === 'string' ? text.trim() : '';
  return trimmed === '' || trimmed.includes('\n') || byteLength(trimmed) > longestMessage ? undefined : trimmed;
}

const nothingFurther = 'no further validation rules will be run';
const costBudget = `cost budget, ${nothingFurther}`;

/** The same variables, counted by another meter. */
function metered(scope: Scope, meter: Meter): Scope {
  return { ...scope, meter, outer: scope.outer && metered(scope.outer, meter) };
}

interface Where {
  readonly field: string;
  readonly type: string;
}

/** What the API server says of the first rule that the budget has nothing left for. */
export function outOfBudget(budget: Budget, { field, type }: Where): FieldError {
  budget.exhaust();
  return {
    type: 'FieldValueInvalid',
    field,
    value: type,
    detail: `validation failed due to running out of ${costBudget}`,
  };
}

const wordsOf = (rule: ValidationRule): string => (rule.message || rule.rule).trim();

/** What the API server says of a rule whose one evaluation costs too much. */
export function callTooDear(rule: ValidationRule, error: CostExceeded, { field, type }: Where): FieldError {
  const detail = `'${error.message}': ${nothingFurther} due to call cost exceeds limit for rule: ${wordsOf(rule)}`;
  return { type: 'FieldValueInvalid', field, value: type, detail };
}

/** What the API server says when a rule has no value. */
export function ruleError(rule: ValidationRule, error: CelError, { field, type }: Where): FieldError {
  const words = wordsOf(rule);
  const detail = error.message.startsWith('no such overload')
    ? `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${words}`
    : `${error.message} evaluating rule: ${words}`;
  return { type: 'FieldValueInvalid', field, value: type, detail };
}
