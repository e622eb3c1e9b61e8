import { compileCondition, UnsupportedRule } from '@ordinal/schema/cel';
import type { Condition } from '@ordinal/schema/cel';
import type { JsonObject } from '../request.ts';
import { items } from '../kinds/spec.ts';
import { forbidden, notSimulated } from '../status.ts';
import type { AdmissionAttributes } from './attributes.ts';
import { reviewOf } from './review.ts';

const variables = ['object', 'oldObject', 'request'];
const compiled = new WeakMap<JsonObject, Condition>();

/**
 * Whether a webhook's `matchConditions` let a request through to it: all of them have to. One that does not hold settles it, whatever the others come to;
 * where one has no value, the failure policy decides (https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions).
 * Refuses with 501 an expression that is not supported, such as one that names `authorizer`.
 */
export function meetsConditions(name: string, definition: JsonObject, attributes: AdmissionAttributes): boolean {
  const conditions = items(definition['matchConditions']);
  if (conditions.length === 0) return true;
  const { request } = reviewOf(attributes, '') as { readonly request: JsonObject }; // A review has a request.
  const values = { object: attributes.object ?? null, oldObject: attributes.oldObject ?? null, request };
  const errors: string[] = [];
  for (const condition of conditions) {
    const result = conditionOf(name, condition)(values as Parameters<Condition>[0]); // All of it came as JSON.
    if ('error' in result)
      errors.push(`expression '${String(condition['expression'])}' resulted in error: ${result.error}`);
    else if (!result.holds) return false;
  }
  if (errors.length === 0) return true;
  if (definition['failurePolicy'] === 'Ignore') return false;
  throw forbidden(attributes.resource, attributes.name, errors.length === 1 ? errors.join() : `[${errors.join(', ')}]`);
}

function conditionOf(name: string, condition: JsonObject): Condition {
  const known = compiled.get(condition);
  if (known !== undefined) return known;
  try {
    const made = compileCondition(String(condition['expression']), variables);
    compiled.set(condition, made);
    return made;
  } catch (error) {
    if (error instanceof UnsupportedRule) throw notSimulated(`the matchCondition of "${name}": ${error.message}`);
    throw error;
  }
}
