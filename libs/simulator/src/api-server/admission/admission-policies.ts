import { ComposedExpressions, UnsupportedRule } from '@ordinal/schema/cel';
import type { Composition } from '@ordinal/schema/cel';
import { items, part } from '../kinds/spec.ts';
import { policyVariables } from '../kinds/admission-policies.ts';
import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { ResourceRegistry } from '../resources/resource.ts';
import { forbidden, notSimulated, Refusal } from '../status.ts';
import { structuredSelector } from '../store/selectors.ts';
import type { Store } from '../store/store.ts';
import type { AdmissionAttributes } from './attributes.ts';
import { reviewOf } from './review.ts';
import { matchesNamedRules } from './rules.ts';
import { isSelected } from './selected.ts';

const policies = 'validatingadmissionpolicies.admissionregistration.k8s.io';
const bindings = 'validatingadmissionpolicybindings.admissionregistration.k8s.io';

/** Where policies and their parameters are. */
export interface PolicyWorld {
  readonly store: Store;
  readonly resources: ResourceRegistry;
}

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
  const { store } = world;
  if (store.count(policies) === 0 || store.count(bindings) === 0) return;
  const bound = Map.groupBy(
    store.snapshot(bindings).map(([, binding]) => binding),
    (binding) => String(part(binding, 'spec')['policyName']),
  );
  const denials = store
    .snapshot(policies)
    .flatMap(([name, policy]) => (bound.get(name) ?? []).map((binding) => ({ name, policy, binding })))
    .flatMap(({ name, policy, binding }) => {
      const spec = part(policy, 'spec');
      if (!covers(world, part(spec, 'matchConstraints'), attributes)) return [];
      const boundSpec = part(binding, 'spec');
      if (!covers(world, part(boundSpec, 'matchResources'), attributes)) return [];
      const by = `ValidatingAdmissionPolicy '${name}' with binding '${binding.metadata.name}'`;
      return acted(
        { by, binding: boundSpec },
        deniedBy(world, { name, spec, binding: boundSpec }, attributes),
        attributes,
      );
    });
  const [first] = denials;
  if (first !== undefined) throw denied(attributes, first);
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

function covers({ store }: PolicyWorld, match: JsonObject, attributes: AdmissionAttributes): boolean {
  const namespace = attributes.namespace === undefined ? undefined : store.get('namespaces', attributes.namespace);
  if (attributes.resource.group === 'admissionregistration.k8s.io') return false;
  if (!isSelected(match, attributes, namespace)) return false;
  if (matchesNamedRules(match['excludeResourceRules'], attributes)) return false;
  return items(match['resourceRules']).length === 0 || matchesNamedRules(match['resourceRules'], attributes);
}

type Values = Parameters<ComposedExpressions['over']>[0];

interface Bound {
  readonly name: string;
  readonly spec: JsonObject;
  readonly binding: JsonObject;
}

/** What a policy has against a request, for each of its parameters. */
function deniedBy(world: PolicyWorld, bound: Bound, attributes: AdmissionAttributes): readonly Denial[] {
  const params = paramsOf(world, bound, attributes);
  if (!Array.isArray(params)) return final(failed(bound.spec, `failed to configure binding: ${params}`));
  const { request } = reviewOf(attributes, '') as { readonly request: JsonObject }; // A review has a request.
  return params.flatMap((param) => {
    const values = {
      ...{ object: attributes.object ?? null, oldObject: attributes.oldObject ?? null, request },
      ...{ params: param ?? null, namespaceObject: namespaceOf(world, attributes) },
    };
    try {
      return evaluated(bound.spec, expressionsOf(bound.spec).over(values as Values)); // All of it came as JSON.
    } catch (error) {
      if (error instanceof UnsupportedRule) throw notSimulated(`the policy "${bound.name}": ${error.message}`);
      throw error;
    }
  });
}

const compiled = new WeakMap<JsonObject, ComposedExpressions>();

function expressionsOf(spec: JsonObject): ComposedExpressions {
  const known = compiled.get(spec);
  if (known !== undefined) return known;
  const variables = items(spec['variables']).map(({ name, expression }) => ({
    name: String(name),
    expression: String(expression),
  }));
  const made = new ComposedExpressions(
    policyVariables.filter((name) => name !== 'authorizer'),
    variables,
  );
  compiled.set(spec, made);
  return made;
}

/** An error counts as the failure policy says. */
const failed = ({ failurePolicy }: JsonObject, message: string): readonly Denial[] =>
  failurePolicy === 'Ignore' ? [] : [{ message, reason: 'Invalid' }];

const final = (denials: readonly Denial[]): readonly Denial[] =>
  denials.map((denial) => ({ ...denial, isFinal: true }));

const errorOf = (expression: unknown, error: string): string =>
  `expression '${String(expression)}' resulted in error: ${error}`;

function evaluated(spec: JsonObject, composition: Composition): readonly Denial[] {
  const errors: string[] = [];
  for (const { expression } of items(spec['matchConditions'])) {
    const result = composition.holds(String(expression));
    if ('error' in result) errors.push(errorOf(expression, result.error));
    else if (!result.holds) return [];
  }
  if (errors.length > 0) return failed(spec, errors.length === 1 ? errors.join() : `[${errors.join(', ')}]`);
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

/** The parameters of a policy that is bound: one that is undefined where there is none to be had; why that can't be said. */
function paramsOf(
  { store, resources }: PolicyWorld,
  { spec, binding }: Bound,
  attributes: AdmissionAttributes,
): readonly (StoredObject | undefined)[] | string {
  if (spec['paramKind'] === undefined || binding['paramRef'] === undefined) return [undefined];
  const { apiVersion = '', kind = '' } = part(spec, 'paramKind') as { apiVersion?: string; kind?: string };
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const resource = resources.findKind(group, version, kind);
  if (resource === undefined) return `paramKind kind \`${apiVersion}, Kind=${kind}\` not known`;
  const reference = part(binding, 'paramRef');
  const namespace = String(reference['namespace'] ?? attributes.namespace ?? '');
  if (resource.namespaced && namespace === '')
    return 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources';
  if (!resource.namespaced && reference['namespace'] !== undefined)
    return 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`';
  const isChosen = structuredSelector(part(reference, 'selector'));
  const { name } = reference;
  const found = store
    .snapshot(resource.storage)
    .map(([, object]) => object)
    .filter(({ metadata }) => !resource.namespaced || metadata.namespace === namespace)
    .filter(({ metadata }) => (name === undefined ? isChosen(metadata.labels ?? {}) : metadata.name === name));
  return found.length === 0 && reference['parameterNotFoundAction'] === 'Deny'
    ? 'no params found for policy binding with `Deny` parameterNotFoundAction'
    : found;
}

/** What expressions see of the namespace of a request; null where it has none. */
function namespaceOf({ store }: PolicyWorld, { namespace, resource }: AdmissionAttributes): unknown {
  if (namespace === undefined || resource.storage === 'namespaces') return null;
  const found = store.get('namespaces', namespace);
  if (found === undefined) return null;
  const { managedFields: _fields, ownerReferences: _owners, ...metadata } = found.metadata;
  return { ...found, metadata };
}

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

function denied({ resource, name }: AdmissionAttributes, { message, reason }: Denial): Refusal {
  const { status } = forbidden(resource, name, message);
  const details = { ...status.details, causes: [{ message }] };
  return new Refusal({ ...status, reason, code: codes[reason] ?? 422, details } as typeof status); // A cause without a field.
}
