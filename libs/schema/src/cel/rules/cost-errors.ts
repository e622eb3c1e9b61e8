import type { FieldError } from '../../field-error.ts';
import { maxInRequest } from '../cost/bound.ts';
import { expressionLimit, schemaLimit } from '../cost/limits.ts';
import { plus, times } from '../cost/range.ts';
import { fixed } from '../functions/string-format.ts';
import type { Shape } from '../schema/shape.ts';
import type { RuleNode } from './validator.ts';

/** The estimated cost of a rule or message expression, for as many values as there may be. */
export interface EstimatedRule {
  /** Where it stands: `….x-kubernetes-validations[0].rule`. */
  readonly path: string;
  readonly what: 'rule' | 'messageExpression';
  readonly cost: number;
}

/** The estimated costs of all rules of a schema. */
export function estimateRules(node: RuleNode | undefined, path: string): EstimatedRule[] {
  return estimateBelow(node, path, 1);
}

/** `max` is how many values there may be: undefined where only the size of a request bounds them. */
function estimateBelow(node: RuleNode | undefined, path: string, max: number | undefined): EstimatedRule[] {
  if (node === undefined) return [];
  const below = maxBelow(node.shape, max);
  return [
    ...estimateBelow(node.values, `${path}.additionalProperties`, below),
    ...[...node.properties].flatMap(([name, each]) => estimateBelow(each, `${path}.properties[${name}]`, below)),
    ...estimateBelow(node.items, `${path}.items`, below),
    ...ownRules(node, path, max ?? maxInRequest(node.shape)),
  ];
}

function ownRules({ rules }: RuleNode, path: string, max: number): EstimatedRule[] {
  return rules.flatMap(({ index, cost }) => {
    const { rule, message } = cost();
    const at = `${path}.x-kubernetes-validations[${String(index)}]`;
    const own: EstimatedRule = { path: `${at}.rule`, what: 'rule', cost: times(rule, max) };
    if (message === undefined) return [own];
    return [own, { path: `${at}.messageExpression`, what: 'messageExpression', cost: message }];
  });
}

/** How many values there may be below: undefined where only the size of a request bounds them. */
function maxBelow({ node }: Shape, max: number | undefined): number | undefined {
  const own =
    node.type === 'array' ? node.maxItems : node.type === 'object' && node.additional ? node.maxProperties : 1;
  return max === undefined || own === undefined ? undefined : times(max, Math.max(0, own));
}

/** What the API server refuses a schema for because of what its rules would cost, in its words. Empty when they are cheap enough. */
export function costErrors(rules: readonly EstimatedRule[], root: string): FieldError[] {
  const errors = rules
    .filter(({ cost }) => cost > expressionLimit)
    .map(({ path, what, cost }) => forbidden(path, tooDear(`estimated ${what} cost`, cost / expressionLimit)));
  const total = rules.reduce((sum, { cost }) => plus(sum, cost), 0);
  if (total <= schemaLimit) return errors;
  return [
    ...errors,
    ...rules
      .filter(({ cost }) => cost >= schemaLimit / 100)
      .sort((a, b) => b.cost - a.cost)
      .slice(0, 4)
      .map(({ path }) => forbidden(path, contributed)),
    forbidden(
      root,
      tooDear('x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema', total / schemaLimit),
    ),
  ];
}

const contributed = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
const advice =
  'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';

function tooDear(what: string, factor: number): string {
  const times = factor > 100 ? 'more than 100x' : `${fixed(factor, factor < 1.5 ? 6 : 1)}x`;
  return `${what} exceeds budget by factor of ${times} (${advice})`;
}

const forbidden = (field: string, detail: string): FieldError => ({ type: 'FieldValueForbidden', field, detail });
