import { ComposedExpressions } from '@ordinal/schema/cel';
import type { Composition } from '@ordinal/schema/cel';
import { policyVariables } from '../kinds/admission-policies.ts';
import { items, part } from '../kinds/spec.ts';
import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { ResourceRegistry } from '../resources/resource.ts';
import { forbidden, Refusal } from '../status.ts';
import { structuredSelector } from '../store/selectors.ts';
import type { Store } from '../store/store.ts';
import type { AdmissionAttributes } from './attributes.ts';
import { reviewOf } from './review.ts';
import { matchesNamedRules } from './rules.ts';
import { isSelected } from './selected.ts';

/** Where policies and their parameters are. */
export interface PolicyWorld {
  readonly store: Store;
  readonly resources: ResourceRegistry;
}

/** A policy with one of its bindings. */
export interface Bound {
  readonly name: string;
  readonly bindingName: string;
  readonly spec: JsonObject;
  readonly binding: JsonObject;
}

/** The policies that are bound and look at a request, in the order of their names. `kind`: how the names of both kinds begin. */
export function boundPolicies(
  world: PolicyWorld,
  kind: 'validatingadmissionpolic' | 'mutatingadmissionpolic',
  attributes: AdmissionAttributes,
): readonly Bound[] {
  const { store } = world;
  const [policies, bindings] = [`${kind}ies`, `${kind}ybindings`].map(
    (plural) => `${plural}.admissionregistration.k8s.io`,
  );
  if (policies === undefined || bindings === undefined) return [];
  if (store.count(policies) === 0 || store.count(bindings) === 0) return [];
  const bound = Map.groupBy(
    store.snapshot(bindings).map(([, binding]) => binding),
    (binding) => String(part(binding, 'spec')['policyName']),
  );
  return store
    .snapshot(policies)
    .flatMap(([name, policy]) => (bound.get(name) ?? []).map((binding) => ({ name, policy, binding })))
    .map(({ name, policy, binding }) => ({
      ...{ name, bindingName: binding.metadata.name },
      ...{ spec: part(policy, 'spec'), binding: part(binding, 'spec') },
    }))
    .filter(
      ({ spec, binding }) =>
        covers(world, part(spec, 'matchConstraints'), attributes) &&
        covers(world, part(binding, 'matchResources'), attributes),
    );
}

function covers({ store }: PolicyWorld, match: JsonObject, attributes: AdmissionAttributes): boolean {
  const namespace = attributes.namespace === undefined ? undefined : store.get('namespaces', attributes.namespace);
  if (attributes.resource.group === 'admissionregistration.k8s.io') return false;
  if (!isSelected(match, attributes, namespace)) return false;
  if (matchesNamedRules(match['excludeResourceRules'], attributes)) return false;
  return items(match['resourceRules']).length === 0 || matchesNamedRules(match['resourceRules'], attributes);
}

type Values = Parameters<ComposedExpressions['over']>[0];

/** The expressions of a policy, over a request and one of its parameters. */
export function compositionOf(
  world: PolicyWorld,
  { bound, param }: { readonly bound: Bound; readonly param: StoredObject | undefined },
  attributes: AdmissionAttributes,
): Composition {
  const { request } = reviewOf(attributes, '') as { readonly request: JsonObject }; // A review has a request.
  const values = {
    ...{ object: attributes.object ?? null, oldObject: attributes.oldObject ?? null, request },
    ...{ params: param ?? null, namespaceObject: namespaceOf(world, attributes) },
  };
  return expressionsOf(bound.spec).over(values as Values); // All of it came as JSON.
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
    items(spec['mutations']).length > 0,
  );
  compiled.set(spec, made);
  return made;
}

/** An expression's error, in the server's words. */
export const errorOf = (expression: unknown, error: string): string =>
  `expression '${String(expression)}' resulted in error: ${error}`;

/** Whether a policy's conditions hold; or why that can't be said. */
export function meetsAll(spec: JsonObject, composition: Composition): boolean | string {
  const errors: string[] = [];
  for (const { expression } of items(spec['matchConditions'])) {
    const result = composition.holds(String(expression));
    if ('error' in result) errors.push(errorOf(expression, result.error));
    else if (!result.holds) return false;
  }
  if (errors.length === 0) return true;
  return errors.length === 1 ? errors.join() : `[${errors.join(', ')}]`;
}

/** The parameters of a policy that is bound: one that is undefined where there is none to be had; why that can't be said. */
export function paramsOf(
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

/** The refusal of a request by a policy. */
export function denialOf(
  { resource, name }: AdmissionAttributes,
  { message, reason }: { readonly message: string; readonly reason: string },
): Refusal {
  const { status } = forbidden(resource, name, message);
  const details = { ...status.details, causes: [{ message }] };
  return new Refusal({ ...status, reason, code: codes[reason] ?? 422, details } as typeof status); // A cause without a field.
}
