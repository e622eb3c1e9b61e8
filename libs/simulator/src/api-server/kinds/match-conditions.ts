import { compileCondition, UnsupportedRule } from '@ordinal/schema/cel';
import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import { duplicate, required, wrong } from './causes.ts';
import { qualifiedName } from './names.ts';

/** What a real server knows in a condition; `authorizer` is left out here, and refused when the condition is asked. */
const variables = ['object', 'oldObject', 'request', 'authorizer'];

/** What is wrong with the conditions of a webhook, at a path such as `webhooks[0].matchConditions`. */
export function conditionCauses(conditions: readonly JsonObject[], field: string): readonly FieldCause[] {
  const names = conditions.map(({ name = '' }) => String(name));
  return conditions.flatMap(({ expression = '' }, index) => {
    const at = `${field}[${index}]`;
    const name = names[index] ?? '';
    return [
      ...expressionCauses(String(expression).trim(), `${at}.expression`),
      ...(name === ''
        ? [required(`${at}.name`)]
        : qualifiedName(name).map((message) => wrong(`${at}.name`, name, message))),
      ...(name !== '' && names.indexOf(name) < index ? [duplicate(`${at}.name`, name)] : []),
    ];
  });
}

function expressionCauses(expression: string, field: string): readonly FieldCause[] {
  if (expression === '') return [required(field)];
  const problem = compilationProblem(() => compileCondition(expression, variables), expression);
  return problem === undefined ? [] : [wrong(field, expression, `compilation failed: ${problem}`)];
}

/**
 * Why no server could ask a condition: it can't be read, names a variable that there is not, or is no truth value. A function that is only not known here shows
 * when the condition is asked.
 */
export function compilationProblem(compile: () => unknown, expression: string): string | undefined {
  try {
    compile();
    return undefined;
  } catch (error) {
    if (!(error instanceof UnsupportedRule)) throw error;
    const { cause } = error;
    if (!(cause instanceof Error)) return 'must evaluate to bool';
    const [, unknown] = /^undeclared reference to '([^']+)'/.exec(cause.message) ?? [];
    const isVariable = unknown !== undefined && !expression.includes(`${unknown}(`);
    return cause.name === 'CelSyntaxError' || isVariable ? cause.message : undefined;
  }
}
