import { compileNode } from '../internal/node.ts';
import type { CelEngine } from '../rule-validator.ts';
import { Budget } from './rules/budget.ts';
import { costErrors, estimateRules } from './rules/cost-errors.ts';
import { compileRules, runRules } from './rules/validator.ts';
import { shapeOf } from './schema/shape.ts';

export { ComposedExpressions } from './composed.ts';
export type { Composition, NamedExpression } from './composed.ts';
export { compileCondition } from './condition.ts';
export type { Condition, ConditionResult } from './condition.ts';
export { UnsupportedRule } from './rules/rule.ts';

/**
 * Evaluates `x-kubernetes-validations`; give it to `compileSchema`. A rule that it does not support is refused when the
 * schema is compiled, with an {@link UnsupportedRule} that names its path.
 */
export const cel: CelEngine = {
  compile: (schema) => {
    const rules = compileRules(shapeOf(compileNode(schema), true), 'openAPIV3Schema');
    return {
      costErrors: (path) => costErrors(estimateRules(rules, path), path),
      validate: (object, old, correlation, ratcheted) =>
        runRules(rules, object, {
          path: undefined,
          old,
          correlation,
          around: undefined,
          ratcheted,
          budget: new Budget(),
        }),
    };
  },
};
