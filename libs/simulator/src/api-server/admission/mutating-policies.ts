import { sameJson } from '@ordinal/client';
import { UnsupportedRule } from '@ordinal/schema/cel';
import type { Composition } from '@ordinal/schema/cel';
import { merge } from '../apply/merge.ts';
import { typeErrors } from '../apply/validate.ts';
import { items, part } from '../kinds/spec.ts';
import { isObject } from '../object.ts';
import { jsonPatch } from '../patch/json-patch.ts';
import type { JsonObject } from '../request.ts';
import { groupVersion } from '../resources/resource.ts';
import type { ServerResource } from '../resources/resource.ts';
import type { TypeNode } from '../schema/type-node.ts';
import { forbidden, notSimulated, Refusal } from '../status.ts';
import { atomicParts } from './atomic-parts.ts';
import type { AdmissionAttributes } from './attributes.ts';
import { boundPolicies, compositionOf, errorOf, meetsAll, paramsOf } from './bound-policies.ts';
import type { Bound, PolicyWorld } from './bound-policies.ts';

/** Where mutating policies are, and what a kind's type is. */
export interface MutatingWorld extends PolicyWorld {
  /** Reads an object as its kind does, with its defaults, and gives the kind's type. */
  readonly kindOf: (resource: ServerResource) => {
    readonly type: TypeNode;
    readonly decode: (object: JsonObject) => { readonly object: JsonObject };
  };
}

/** The world of a server's policies. */
export const mutatingWorld = ({
  store,
  resources,
  models,
}: PolicyWorld & { readonly models: { readonly of: MutatingWorld['kindOf'] } }): MutatingWorld => ({
  ...{ store, resources },
  kindOf: (resource) => models.of(resource),
});

/** What a policy can't say, or may not do. */
class MutationError extends Error {}

/** What went wrong, in the order in which it did. */
type Errors = (bound: Bound, message: string) => void;

/**
 * Has the mutating admission policies that are bound change an object, in the order of their names; one that asks for it (`IfNeeded`) does so once more when others
 * have changed the object after it. Refuses with 501 an expression that is not supported.
 */
export function mutateByPolicies(world: MutatingWorld, attributes: AdmissionAttributes): JsonObject | undefined {
  const { object, operation } = attributes;
  if (object === undefined || operation === 'DELETE') return object;
  const bound = boundPolicies(world, 'mutatingadmissionpolic', attributes);
  const messages: string[] = [];
  const add: Errors = ({ name, bindingName, spec }, message) => {
    if (spec['failurePolicy'] !== 'Ignore')
      messages.push(`policy '${name}' with binding '${bindingName}' denied request: ${message}`);
  };
  let current = object;
  const left = new Map<Bound, JsonObject>();
  for (const policy of bound) {
    current = mutatedBy(world, policy, add, { ...attributes, object: current });
    left.set(policy, current);
  }
  for (const policy of bound)
    if (policy.spec['reinvocationPolicy'] === 'IfNeeded' && !sameJson(left.get(policy), current))
      current = mutatedBy(world, policy, add, { ...attributes, object: current });
  if (messages.length > 0) throw refusalOf(attributes, messages);
  return current;
}

function refusalOf({ resource, name }: AdmissionAttributes, messages: readonly string[]): Refusal {
  const { status } = forbidden(resource, name, '');
  const details = { ...status.details, causes: messages.map((message) => ({ message })) };
  return new Refusal({ ...status, ...{ message: messages[0], reason: 'Invalid', details } } as typeof status); // Causes without fields.
}

function mutatedBy(world: MutatingWorld, bound: Bound, add: Errors, attributes: AdmissionAttributes): JsonObject {
  const params = paramsOf(world, bound, attributes);
  if (typeof params === 'string') {
    add(bound, `failed to configure binding: ${params}`);
    return attributes.object ?? {};
  }
  try {
    return params.reduce<JsonObject>(
      (object, param) => mutatedFor(world, { bound, param }, add, { ...attributes, object }),
      attributes.object ?? {},
    );
  } catch (error) {
    if (error instanceof UnsupportedRule) throw notSimulated(`the policy "${bound.name}": ${error.message}`);
    throw error;
  }
}

type WithParam = Parameters<typeof compositionOf>[1];

function mutatedFor(
  world: MutatingWorld,
  { bound, param }: WithParam,
  add: Errors,
  attributes: AdmissionAttributes,
): JsonObject {
  let object = attributes.object ?? {};
  const conditions = meetsAll(bound.spec, compositionOf(world, { bound, param }, attributes));
  if (typeof conditions === 'string') add(bound, conditions);
  if (conditions !== true) return object;
  for (const mutation of items(bound.spec['mutations']))
    try {
      object = changedBy(world, mutation, compositionOf(world, { bound, param }, { ...attributes, object }), {
        ...attributes,
        object,
      });
    } catch (error) {
      if (!(error instanceof MutationError)) throw error;
      add(bound, error.message); // The others are done all the same.
    }
  return object;
}

function changedBy(
  world: MutatingWorld,
  mutation: JsonObject,
  composition: Composition,
  { object = {}, resource }: AdmissionAttributes,
): JsonObject {
  const made = (source: JsonObject): unknown => {
    const expression = String(source['expression']);
    const result = composition.made(expression);
    if ('mistake' in result) throw new MutationError(result.mistake);
    if ('error' in result) throw new MutationError(errorOf(expression, result.error));
    return result.value;
  };
  const { type, decode } = world.kindOf(resource);
  const changed =
    mutation['patchType'] === 'JSONPatch'
      ? patched(object, made(part(mutation, 'jsonPatch')))
      : applied(object, made(part(mutation, 'applyConfiguration')), { type, resource });
  return decode(changed).object;
}

function patched(object: JsonObject, patch: unknown): JsonObject {
  try {
    const result = jsonPatch(object, patch);
    return isObject(result) ? result : object;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // A test that fails leaves the object as it is.
    const tests = Array.isArray(patch) && patch.some((operation) => isObject(operation) && operation['op'] === 'test');
    if (tests) return object;
    throw new MutationError(`JSON Patch: ${error.status.message ?? ''}`);
  }
}

function applied(
  object: JsonObject,
  configuration: unknown,
  { type, resource }: { readonly type: TypeNode; readonly resource: ServerResource },
): JsonObject {
  const given = isObject(configuration) ? configuration : {};
  const whole = { ...given, apiVersion: groupVersion(resource), kind: resource.kind };
  const failed = (why: string): MutationError => new MutationError(`error applying patch: ${why}`);
  const [mistake] = typeErrors(type, whole);
  if (mistake !== undefined) throw failed(`failed to convert patch object to typed object: ${mistake}`);
  const atomic = atomicParts(type, whole);
  if (atomic.length > 0)
    throw failed(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomic.join(', ')}`);
  return merge(type, object, whole) as JsonObject; // Both are objects of the kind.
}
