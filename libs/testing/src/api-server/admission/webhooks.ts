import { applyPatch } from 'rfc6902';
import type { Operation } from 'rfc6902';
import { isObject } from '../object.ts';
import type { StoredObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import { items, part } from '../kinds/spec.ts';
import type { Store } from '../store/store.ts';
import { structuredSelector } from '../store/selectors.ts';
import { failure, internalError, Refusal } from '../status.ts';
import type { AdmissionAttributes } from './attributes.ts';
import { matchesRules } from './rules.ts';
import { reviewOf } from './review.ts';
import type { Steps, WebhookCall } from './steps.ts';

interface Webhook {
  readonly name: string;
  readonly definition: JsonObject;
}

const validating = 'validatingwebhookconfigurations.admissionregistration.k8s.io';
const mutating = 'mutatingwebhookconfigurations.admissionregistration.k8s.io';

/** Asks the mutating webhooks in the order of their names; gives the object as they leave it. */
export function* mutate(store: Store, attributes: AdmissionAttributes): Steps<JsonObject | undefined> {
  if (store.count(mutating) === 0) return attributes.object;
  let { object } = attributes;
  for (const webhook of matching(store, mutating, attributes)) {
    const response = yield* ask(webhook, { ...attributes, object });
    if (response === undefined || typeof response['patch'] !== 'string' || object === undefined) continue;
    object = patched(webhook, object, response['patch']);
  }
  return object;
}

/** Asks the validating webhooks. Refuses what one of them does not allow. */
export function* validate(store: Store, attributes: AdmissionAttributes): Steps<void> {
  if (store.count(validating) === 0) return;
  for (const webhook of matching(store, validating, attributes)) yield* ask(webhook, attributes);
}

function matching(store: Store, storage: string, attributes: AdmissionAttributes): readonly Webhook[] {
  const namespace = attributes.namespace === undefined ? undefined : store.get('namespaces', attributes.namespace);
  return store
    .snapshot(storage)
    .flatMap(([, configuration]) => items(configuration['webhooks']))
    .filter(
      (definition) => matchesRules(definition['rules'], attributes) && selected(definition, attributes, namespace),
    )
    .map((definition) => ({ name: String(definition['name']), definition }));
}

type Labelled = { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } } | undefined;

function selected(
  definition: JsonObject,
  { object, oldObject, resource }: AdmissionAttributes,
  namespace: StoredObject | undefined,
): boolean {
  const labels = (candidate: Labelled): Readonly<Record<string, string>> => candidate?.metadata?.labels ?? {};
  const byObject = structuredSelector(part(definition, 'objectSelector'));
  const candidates = [object, oldObject as JsonObject | undefined].filter((candidate) => candidate !== undefined);
  if (candidates.length > 0 && !candidates.some((candidate) => byObject(labels(candidate as Labelled)))) return false;
  if (!resource.namespaced && resource.storage !== 'namespaces') return true;
  return structuredSelector(part(definition, 'namespaceSelector'))(labels(namespace ?? (object as Labelled)));
}

function* ask(webhook: Webhook, attributes: AdmissionAttributes): Steps<JsonObject | undefined> {
  const { definition, name } = webhook;
  const call: WebhookCall = {
    webhook: name,
    clientConfig: part(definition, 'clientConfig'),
    timeoutSeconds: Number(definition['timeoutSeconds'] ?? 10),
    review: reviewOf(attributes),
  };
  if (attributes.dryRun && definition['sideEffects'] !== 'None' && definition['sideEffects'] !== 'NoneOnDryRun')
    throw new Refusal(
      failure({ code: 400, reason: 'BadRequest', message: `admission webhook "${name}" does not support dry run` }),
    );
  const answer = yield call;
  if ('failed' in answer) {
    if (definition['failurePolicy'] === 'Ignore') return undefined;
    throw internalError(`failed calling webhook "${name}": failed to call webhook: ${answer.failed}`);
  }
  const response = part(answer.review, 'response');
  attributes.warn(Array.isArray(response['warnings']) ? response['warnings'].map(String) : []);
  if (response['allowed'] === true) return response;
  throw denied(name, part(response, 'status'));
}

function denied(name: string, status: JsonObject): Refusal {
  const said = typeof status['message'] === 'string' && status['message'] !== '' ? status['message'] : undefined;
  const reason = typeof status['reason'] === 'string' && status['reason'] !== '' ? status['reason'] : undefined;
  const why = said ?? reason;
  const code = Number(status['code'] ?? 0);
  return new Refusal({
    ...failure({
      code: code >= 400 ? code : code === 0 ? 403 : 403,
      reason: reason ?? (code === 0 || code === 403 ? 'Forbidden' : ''),
      message: `admission webhook "${name}" denied the request${why === undefined ? ' without explanation' : `: ${why}`}`,
    }),
    ...(isObject(status['details']) && { details: status['details'] }),
  });
}

function patched(webhook: Webhook, object: JsonObject, patch: string): JsonObject {
  const copy = structuredClone(object);
  // Webhooks send JSON patches; the library checks each operation.
  const operations = JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) as Operation[];
  const failed = applyPatch(copy, operations).find((error) => error !== null);
  if (failed) throw internalError(`failed calling webhook "${webhook.name}": ${failed.message}`);
  return copy;
}
