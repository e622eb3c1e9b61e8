import type { Status } from '@ordinal/client';
import { items, part, specOf } from '../kinds/spec.ts';
import type { StoredObject } from '../object.ts';
import { added, amountsOf, filtered, growth, listOf, sameAmounts, shownAmounts } from '../quota/amounts.ts';
import type { Amounts } from '../quota/amounts.ts';
import { hasPodLevelResources } from '../quota/pod-resources.ts';
import { isBounded, scopesOf } from '../quota/scopes.ts';
import { computeUsage, measureOf } from '../quota/usage.ts';
import type { JsonObject } from '../request.ts';
import type { ApiServer } from '../server.ts';
import { forbidden, Refusal } from '../status.ts';
import type { AdmissionAttributes } from './attributes.ts';

const storage = 'resourcequotas';
const json = (object: StoredObject): JsonObject => object as unknown as JsonObject;

/** Whether a write can change what is used. */
function isMeasured({ resource, subresource, operation, object, oldObject }: AdmissionAttributes): boolean {
  if (resource.storage === 'events' || !resource.namespaced) return false;
  const isCreated = operation === 'CREATE' && subresource === undefined;
  const isChanged = operation === 'UPDATE' && subresource === undefined;
  switch (resource.storage) {
    case 'pods':
      if (isChanged && object !== undefined && oldObject !== undefined)
        return isBounded(object) !== isBounded(json(oldObject));
      return isCreated || (subresource === 'resize' && operation === 'UPDATE');
    case 'services':
      return isCreated || isChanged;
    case 'persistentvolumeclaims':
      return isCreated || isChanged || (subresource === 'status' && operation === 'UPDATE');
    default:
      return isCreated;
  }
}

/** A quota that says something of an object, and what is used more of it. */
interface Affected {
  readonly quota: StoredObject;
  readonly hard: Amounts;
  readonly more: Amounts;
}

/**
 * Refuses what a quota of the namespace has no room for, and writes down what is used now, as the server's plugin `ResourceQuota` does. What counts is a quota's
 * status, which its controller keeps: a quota without one refuses nothing.
 */
export function checkQuotas(server: ApiServer, attributes: AdmissionAttributes): void {
  if (server.store.count(storage) === 0 || !isMeasured(attributes)) return;
  const { object, namespace } = attributes;
  const quotas = server.store
    .snapshot(storage)
    .flatMap(([, quota]) => (quota.metadata.namespace === namespace ? [quota] : []));
  if (quotas.length === 0 || object === undefined) return;
  const affected = quotas.flatMap((quota) => affectedBy(quota, attributes, object, server) ?? []);
  const charges = affected.map((each) => chargeOf(each, attributes));
  if (attributes.dryRun) return;
  for (const { quota, used } of charges) charge(server, quota, used);
}

function affectedBy(
  quota: StoredObject,
  attributes: AdmissionAttributes,
  object: JsonObject,
  server: ApiServer,
): Affected | undefined {
  const measure = measureOf(attributes.resource.storage);
  const hard = amountsOf(part(json(quota), 'status')['hard']);
  const counted = [...hard.keys()].filter(measure.counts);
  const scopes = scopesOf(json(quota));
  const covers = (one: JsonObject): boolean => scopes.every((scope) => measure.inScope(one, scope));
  if (counted.length === 0 || !covers(object)) return undefined;
  checkCounted(quota, counted, attributes);
  const now = server.clock.now();
  const usage = measure.usage(object, now);
  const { oldObject } = attributes;
  const before = oldObject === undefined ? undefined : json(oldObject);
  const more = before !== undefined && covers(before) ? growth(usage, measure.usage(before, now)) : usage;
  return { quota, hard, more: filtered(more, (name, { nano }) => nano !== 0n && hard.has(name)) };
}

/** Refuses an object that does not say what a quota has to know of it, and any while it is not known what is used. */
function checkCounted(quota: StoredObject, counted: readonly string[], attributes: AdmissionAttributes): void {
  const { resource, name, object = {} } = attributes;
  const missing = resource.storage === 'pods' ? missingIn(specOf(object), counted) : '';
  if (missing !== '') throw forbidden(resource, name, `failed quota: ${quota.metadata.name}: must specify ${missing}`);
  const used = amountsOf(part(json(quota), 'status')['used']);
  if (counted.some((each) => !used.has(each)))
    throw forbidden(
      resource,
      name,
      `status unknown for quota: ${quota.metadata.name}, resources: ${[...counted].sort().join(',')}`,
    );
}

/** Each container has to say what it asks for, or is limited to, where a quota counts it. */
const mandatory = ['cpu', 'limits.cpu', 'limits.memory', 'memory', 'requests.cpu', 'requests.memory'];

function missingIn(spec: JsonObject, counted: readonly string[]): string {
  if (hasPodLevelResources(spec)) return '';
  const containers = [...items(spec['containers']), ...items(spec['initContainers'])].map((container) => {
    const { requests, limits } = part(container, 'resources');
    return { name: String(container['name']), usage: computeUsage(amountsOf(requests), amountsOf(limits)) };
  });
  return mandatory
    .filter((each) => counted.includes(each))
    .flatMap((each) => {
      const names = containers.filter(({ usage }) => !usage.has(each)).map(({ name }) => name);
      return names.length === 0 ? [] : [`${each} for: ${names.sort().join(',')}`];
    })
    .join('; ');
}

function chargeOf(
  { quota, hard, more }: Affected,
  { resource, subresource, name }: AdmissionAttributes,
): { readonly quota: StoredObject; readonly used: Amounts } {
  const before = amountsOf(part(json(quota), 'status')['used']);
  const used = added(before, more);
  const exceeded = [...more.keys()].filter((each) => (used.get(each)?.nano ?? 0n) > (hard.get(each)?.nano ?? 0n));
  if (exceeded.length === 0 || subresource === 'status') return { quota, used };
  const shown = (amounts: Amounts): string => shownAmounts(filtered(amounts, (each) => exceeded.includes(each)));
  throw forbidden(
    resource,
    name,
    `exceeded quota: ${quota.metadata.name}, requested: ${shown(more)}, used: ${shown(before)}, limited: ${shown(hard)}`,
  );
}

function charge(server: ApiServer, quota: StoredObject, used: Amounts): void {
  const status = part(json(quota), 'status');
  if (sameAmounts(used, amountsOf(status['used']))) return;
  const { namespace = '', name } = quota.metadata;
  const reply = server.execute({
    verb: 'update',
    resource: { group: '', version: 'v1', plural: storage },
    namespace,
    name,
    subresource: 'status',
    userAgent: 'kube-apiserver',
    body: { ...json(quota), status: { ...status, used: listOf(used) } },
  });
  // The body of a failure is a Status.
  if (reply.status >= 400) throw new Refusal(reply.body as unknown as Status);
}
