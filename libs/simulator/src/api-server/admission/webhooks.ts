import type { Status } from '@ordinal/client';
import { applyPatch } from 'rfc6902';
import type { Operation } from 'rfc6902';
import { isObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import { items, part, without } from '../kinds/spec.ts';
import type { Store } from '../store/store.ts';
import { failure, internalError, Refusal } from '../status.ts';
import { checkPolicies } from './admission-policies.ts';
import type { PolicyWorld } from './bound-policies.ts';
import type { AdmissionAttributes } from './attributes.ts';
import { meetsConditions } from './match-conditions.ts';
import { matchesRules } from './rules.ts';
import { reviewOf } from './review.ts';
import { isSelected } from './selected.ts';
import type { Steps, WebhookCall } from './steps.ts';

interface Webhook {
  readonly name: string;
  readonly definition: JsonObject;
}

const validating = 'validatingwebhookconfigurations.admissionregistration.k8s.io';
const mutating = 'mutatingwebhookconfigurations.admissionregistration.k8s.io';

/**
 * Asks the mutating webhooks in the order of their names; gives the object as they leave it. One that asks for it (`IfNeeded`) is asked once more when others
 * have changed the object after it.
 */
export function* mutate(store: Store, attributes: AdmissionAttributes): Steps<JsonObject | undefined> {
  if (store.count(mutating) === 0) return attributes.object;
  let { object } = attributes;
  const left = new Map<Webhook, JsonObject | undefined>();
  const webhooks = matching(store, mutating, attributes);
  for (const webhook of webhooks) {
    object = yield* mutated(webhook, { ...attributes, object });
    left.set(webhook, object);
  }
  for (const webhook of webhooks)
    if (webhook.definition['reinvocationPolicy'] === 'IfNeeded' && left.get(webhook) !== object)
      object = yield* mutated(webhook, { ...attributes, object });
  return object;
}

function* mutated(webhook: Webhook, attributes: AdmissionAttributes): Steps<JsonObject | undefined> {
  const { object } = attributes;
  const response = yield* ask(webhook, attributes, true);
  return response === undefined || typeof response['patch'] !== 'string' || object === undefined
    ? object
    : patched(object, response['patch']);
}

/** Asks the admission policies, and then the validating webhooks. Refuses what one of them does not allow. */
export function* validate(world: PolicyWorld, attributes: AdmissionAttributes): Steps<void> {
  checkPolicies(world, attributes);
  const { store } = world;
  if (store.count(validating) === 0) return;
  for (const webhook of matching(store, validating, attributes)) yield* ask(webhook, attributes, false);
}

function matching(store: Store, storage: string, attributes: AdmissionAttributes): readonly Webhook[] {
  const namespace = attributes.namespace === undefined ? undefined : store.get('namespaces', attributes.namespace);
  return store
    .snapshot(storage)
    .flatMap(([, configuration]) => items(configuration['webhooks']))
    .filter(
      (definition) => matchesRules(definition['rules'], attributes) && isSelected(definition, attributes, namespace),
    )
    .map((definition) => ({ name: String(definition['name']), definition }));
}

function* ask(webhook: Webhook, attributes: AdmissionAttributes, mutates: boolean): Steps<JsonObject | undefined> {
  const { definition, name } = webhook;
  if (!meetsConditions(name, definition, attributes)) return undefined;
  const uid = attributes.newUid();
  const call: WebhookCall = {
    webhook: name,
    clientConfig: part(definition, 'clientConfig'),
    timeoutSeconds: Number(definition['timeoutSeconds'] ?? 10),
    review: reviewOf(attributes, uid),
  };
  if (attributes.dryRun && definition['sideEffects'] !== 'None' && definition['sideEffects'] !== 'NoneOnDryRun')
    throw new Refusal(
      failure({ code: 400, reason: 'BadRequest', message: `admission webhook "${name}" does not support dry run` }),
    );
  const answer = yield call;
  const problem =
    'failed' in answer ? `failed to call webhook: ${answer.failed}` : problemOf(answer.review, uid, mutates);
  if ('failed' in answer || problem !== undefined) {
    if (definition['failurePolicy'] === 'Ignore') return undefined;
    throw internalError(`failed calling webhook "${name}": ${problem ?? ''}`);
  }
  const response = part(answer.review, 'response');
  attributes.warn(Array.isArray(response['warnings']) ? response['warnings'].map(String) : []);
  if (response['allowed'] === true) return response;
  throw denied(name, part(response, 'status'));
}

/** What is wrong with an answer, in the server's words. */
function problemOf(review: JsonObject, uid: string, mutates: boolean): string | undefined {
  const { kind, apiVersion, response } = review;
  if (kind !== 'AdmissionReview')
    return `failed to call webhook: no kind "${String(kind)}" is registered for version "${String(apiVersion)}" in scheme "pkg/runtime/scheme.go:111"`;
  if (!isObject(response)) return 'received invalid webhook response: webhook response was absent';
  const { patch, patchType } = response;
  const invalid = (why: string): string => `received invalid webhook response: ${why}`;
  if (response['uid'] !== uid)
    return invalid(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response['uid'] ?? '')}`);
  if (apiVersion !== 'admission.k8s.io/v1')
    return invalid(
      `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${String(apiVersion)}, Kind=AdmissionReview`,
    );
  if (!mutates && patch !== undefined) return invalid('validating webhook may not return response.patch');
  if (!mutates && patchType !== undefined) return invalid('validating webhook may not return response.patchType');
  if (patch !== undefined && patchType === undefined)
    return invalid('webhook returned response.patch but not response.patchType');
  return patch === undefined && patchType !== undefined
    ? invalid('webhook returned response.patchType but not response.patch')
    : undefined;
}

/** The reply to a request that a webhook refuses: the webhook's own status, with words before its message, and with code 400 where its own is no error's. */
function denied(name: string, status: JsonObject): Refusal {
  const given = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
  const reason = given(status['reason']);
  const why = given(status['message']) ?? reason;
  const code = Number(status['code'] ?? 0);
  const refused = failure({
    code: code >= 400 ? code : 400,
    reason: reason ?? '',
    message: `admission webhook "${name}" denied the request${why === undefined ? ' without explanation' : `: ${why}`}`,
    // Its details are passed on as they are.
    ...(isObject(status['details']) && { details: status['details'] as Status['details'] }),
  });
  return new Refusal(
    reason === undefined ? (without(refused as unknown as JsonObject, 'reason') as unknown as Status) : refused,
  );
}

function patched(object: JsonObject, patch: string): JsonObject {
  const copy = structuredClone(object);
  // Webhooks send JSON patches; the library checks each operation.
  for (const operation of JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) as Operation[])
    if (applyPatch(copy, [operation]).some((error) => error !== null)) throw internalError(misfit(operation));
  return copy;
}

/** Why an operation does not fit the object, in the words of the server's library. */
function misfit({ op, path }: Operation): string {
  const last = path.slice(path.lastIndexOf('/') + 1);
  switch (op) {
    case 'remove':
      return `error in remove for path: '${path}': Unable to remove nonexistent key: ${last}: missing value`;
    case 'replace':
      return `replace operation does not apply: doc is missing key: ${path}: missing value`;
    case 'test':
      return `testing value ${path} failed: test failed`;
    default:
      return `${op} operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`;
  }
}
