import { UnsupportedRule } from '@ordinal/schema/cel';
import type { Composition } from '@ordinal/schema/cel';
import { items } from '../kinds/spec.ts';
import type { JsonObject } from '../request.ts';
import { notSimulated } from '../status.ts';
import type { AdmissionAttributes } from './attributes.ts';
import { boundPolicies, compositionOf, denialOf, errorOf, meetsAll, paramsOf } from './bound-policies.ts';
import type { Bound, PolicyWorld } from './bound-policies.ts';

/** Why a policy does not let a request through. */
interface Denial {
  readonly message: string;
  readonly reason: string;
  /** It refuses the request whatever the binding's actions are: a parameter or an audit annotation can't be had. */
  readonly isFinal?: boolean;
}

/**
 * Asks the validating admission policies that are bound, in the order of their names. Refuses what one of them denies, and warns where its binding says so
 * (https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/). Refuses with 501 an expression that is not supported.
 */
export function checkPolicies(world: PolicyWorld, attributes: AdmissionAttributes): void {
  const denials = boundPolicies(world, 'validatingadmissionpolic', attributes).flatMap((bound) => {
    const by = `ValidatingAdmissionPolicy '${bound.name}' with binding '${bound.bindingName}'`;
    return acted({ by, binding: bound.binding }, deniedBy(world, bound, attributes), attributes);
  });
  const [first] = denials;
  if (first !== undefined) throw denialOf(attributes, first);
}

/** The denials that refuse the request; the others are warned of, or written into an audit log, which there is none of. */
function acted(
  { by, binding }: { readonly by: string; readonly binding: JsonObject },
  denials: readonly Denial[],
  { warn }: AdmissionAttributes,
): readonly Denial[] {
  const actions = Array.isArray(binding['validationActions']) ? binding['validationActions'] : [];
  const judged = denials.filter(({ isFinal }) => isFinal !== true);
  if (actions.includes('Warn')) warn(judged.map(({ message }) => `Validation failed for ${by}: ${message}`));
  return denials
    .filter(({ isFinal }) => isFinal === true || actions.includes('Deny'))
    .map(({ message, reason }) => ({ message: `${by} denied request: ${message}`, reason }));
}

/** What a policy has against a request, for each of its parameters. */
function deniedBy(world: PolicyWorld, bound: Bound, attributes: AdmissionAttributes): readonly Denial[] {
  const params = paramsOf(world, bound, attributes);
  if (!Array.isArray(params)) return final(failed(bound.spec, `failed to configure binding: ${params}`));
  return params.flatMap((param) => {
    try {
      return evaluated(bound.spec, compositionOf(world, { bound, param }, attributes));
    } catch (error) {
      if (error instanceof UnsupportedRule) throw notSimulated(`the policy "${bound.name}": ${error.message}`);
      throw error;
    }
  });
}

/** An error counts as the failure policy says. */
const failed = ({ failurePolicy }: JsonObject, message: string): readonly Denial[] =>
  failurePolicy === 'Ignore' ? [] : [{ message, reason: 'Invalid' }];

const final = (denials: readonly Denial[]): readonly Denial[] =>
  denials.map((denial) => ({ ...denial, isFinal: true }));

function evaluated(spec: JsonObject, composition: Composition): readonly Denial[] {
  const conditions = meetsAll(spec, composition);
  if (typeof conditions === 'string') return failed(spec, conditions);
  if (!conditions) return [];
  return [
    ...items(spec['validations']).flatMap((validation) => {
      const result = composition.holds(String(validation['expression']));
      if ('error' in result) return failed(spec, errorOf(validation['expression'], result.error));
      return result.holds
        ? []
        : [{ message: messageOf(validation, composition), reason: String(validation['reason'] ?? 'Invalid') }];
    }),
    ...items(spec['auditAnnotations']).flatMap(({ valueExpression }) => {
      const result = composition.evaluate(String(valueExpression));
      return 'error' in result ? final(failed(spec, errorOf(valueExpression, result.error))) : [];
    }),
  ];
}

const maxMessageLength = 5 * 1024;

/** The message of a denial: that of its expression where it makes a line of text, else the fixed one, else the expression that does not hold. */
function messageOf({ expression, message, messageExpression }: JsonObject, composition: Composition): string {
  const result = messageExpression === undefined ? undefined : composition.evaluate(String(messageExpression));
  const made = result !== undefined && 'value' in result && typeof result.value === 'string' ? result.value.trim() : '';
  if (made !== '' && made.length <= maxMessageLength && !made.includes('\n')) return made;
  const fixed = String(message ?? '').trim();
  return fixed === '' ? `failed expression: ${String(expression).trim()}` : fixed;
}
