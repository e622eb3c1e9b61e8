import type { FieldError } from '../../field-error.ts';
import { fieldPath } from '../../internal/field-path.ts';
import type { FieldPath } from '../../internal/field-path.ts';
import { byteLength } from '../../internal/go-text.ts';
import type { JsonValue } from '../../json.ts';
import type { ValidationRule } from '../../schema-props.ts';
import type { Scope } from '../compile/scope.ts';
import { CelError } from '../values/error.ts';
import type { CompiledRule } from './rule.ts';

/** Longest message of a `messageExpression`, in bytes. */
const longestMessage = 5 * 1024;

/** Where a rule did not hold. */
export interface Failure {
  readonly scope: Scope;
  readonly value: JsonValue;
  readonly path: FieldPath | undefined;
  readonly type: string;
}

/** What the API server says when a rule is false. */
export function ruleFailure(compiled: CompiledRule, { scope, value, path, type }: Failure): FieldError {
  const { rule } = compiled;
  const detail =
    messageOf(compiled, scope) ?? (rule.message ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`);
  const field = compiled.path === '' ? fieldPath(path) : fieldPath({ parent: path, child: compiled.path });
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

/** The message of the expression; undefined when it has none that can be shown. */
function messageOf({ message }: CompiledRule, scope: Scope): string | undefined {
  if (message === undefined) return undefined;
  try {
    const text = message.run(scope);
    const trimmed = typeof text === 'string' ? text.trim() : '';
    return trimmed === '' || trimmed.includes('\n') || byteLength(trimmed) > longestMessage ? undefined : trimmed;
  } catch (error) {
    if (error instanceof CelError) return undefined;
    throw error;
  }
}

/** What the API server says when a rule has no value. */
export function ruleError(
  rule: ValidationRule,
  error: CelError,
  { field, type }: { field: string; type: string },
): FieldError {
  const words = (rule.message || rule.rule).trim();
  const detail = error.message.startsWith('no such overload')
    ? `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${words}`
    : `${error.message} evaluating rule: ${words}`;
  return { type: 'FieldValueInvalid', field, value: type, detail };
}
