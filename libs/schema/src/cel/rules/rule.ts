import { rulePath } from '../../internal/rule-path.ts';
import type { ValidationRule } from '../../schema-props.ts';
import { compile } from '../compile/expression.ts';
import type { Compiled } from '../compile/compiled.ts';
import { CelCompileError } from '../compile/types.ts';
import type { StaticType } from '../compile/types.ts';
import { Variables } from '../compile/variables.ts';
import { estimateCost } from '../cost/estimate.ts';
import type { Shape } from '../schema/shape.ts';
import { CelSyntaxError } from '../syntax/ast.ts';
import type { Expression } from '../syntax/ast.ts';
import { parse } from '../syntax/parser.ts';

/** What a rule and its message expression cost at most, in cel-go's units. */
interface RuleCost {
  readonly rule: number;
  readonly message: number | undefined;
}

/** A rule that can run. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Its place among the rules of its schema. */
  readonly index: number;
  readonly check: Compiled;
  readonly message: Compiled | undefined;
  /** The highest costs of one evaluation, as the API server estimates them. */
  readonly cost: () => RuleCost;
  /** The rule names `oldSelf`: it runs on updates, or always when `optionalOldSelf` says so. */
  readonly usesOldSelf: boolean;
  /** The field that the rule blames, below its own; empty for its own. */
  readonly path: string;
}

/** A rule cannot be evaluated here; the message says which and why. */
export class UnsupportedRule extends Error {
  override readonly name = 'UnsupportedRule';
  /** Where the rule stands in the schema: `openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule`. */
  readonly path: string;

  constructor(path: string, reason: string, cause: unknown) {
    super(`${path}: ${reason}`, { cause });
    this.path = path;
  }
}

/** Compiles a rule for values of its shape; undefined for an empty one. Throws {@link UnsupportedRule}. */
export function compileRule(shape: Shape, index: number, schemaPath: string): CompiledRule | undefined {
  const rule = shape.node.rules[index];
  if (rule === undefined || rule.rule.trim() === '') return undefined;
  const path = `${schemaPath}.x-kubernetes-validations[${String(index)}]`;
  const { type } = shape;
  if (type === undefined)
    throw new UnsupportedRule(path, 'the schema says nothing of the value that the rule is about', undefined);
  const expression = attempt(`${path}.rule`, () => parse(rule.rule));
  const oldSelf: StaticType = rule.optionalOldSelf === true ? { kind: 'optional', value: type } : type;
  const variables = Variables.of([
    ['self', type],
    ['oldSelf', oldSelf],
  ]);
  const { messageExpression, fieldPath } = rule;
  const messageTree = messageExpression
    ? attempt(`${path}.messageExpression`, () => parse(messageExpression))
    : undefined;
  const check = attempt(`${path}.rule`, () => expectType(compile(expression, variables), 'bool'));
  const message =
    messageTree && attempt(`${path}.messageExpression`, () => expectType(compile(messageTree, variables), 'string'));
  return {
    rule,
    index,
    check,
    message,
    cost: () => ({
      rule: estimateCost(expression, variables, shape),
      message: messageTree === undefined ? undefined : estimateCost(messageTree, variables, shape),
    }),
    usesOldSelf: names(expression, 'oldSelf'),
    path: fieldPath ? attempt(`${path}.fieldPath`, () => pathOf(fieldPath, shape)) : '',
  };
}

function pathOf(fieldPath: string, shape: Shape): string {
  const path = rulePath(fieldPath, shape.node);
  if (path === undefined) throw new CelCompileError('must be a valid path');
  return path;
}

function expectType(compiled: Compiled, name: string): Compiled {
  const { type } = compiled;
  const unknown = type.kind === 'dyn' && type.declared === undefined;
  if (unknown || (type.kind === 'simple' && type.name === name)) return compiled;
  throw new CelCompileError(`must evaluate to a ${name}`);
}

function attempt<T>(path: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof CelSyntaxError || error instanceof CelCompileError)
      throw new UnsupportedRule(path, error.message, error);
    throw error;
  }
}

/** True when the expression names a variable. */
function names(expression: Expression, variable: string): boolean {
  const some = (parts: readonly (Expression | undefined)[]): boolean =>
    parts.some((part) => part !== undefined && names(part, variable));
  switch (expression.kind) {
    case 'literal':
      return false;
    case 'identifier':
      return expression.name === variable;
    case 'select':
      return names(expression.operand, variable);
    case 'index':
      return some([expression.operand, expression.index]);
    case 'call':
      return some([expression.target, ...expression.args]);
    case 'list':
      return some(expression.items.map(({ value }) => value));
    case 'map':
      return some(expression.entries.flatMap(({ key, value }) => [key, value]));
    case 'message':
      return some(expression.fields.map(({ value }) => value));
  }
}
