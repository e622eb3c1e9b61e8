import type { KubernetesObject } from '@ordinal/client';
import type { ResourceQuota } from 'kubernetes-types/core/v1.js';
import type { JsonObject } from '../../api-server/index.ts';
import { added, amountsOf, filtered, listOf, number, sameAmounts } from '../../api-server/quota/amounts.ts';
import type { Amounts } from '../../api-server/quota/amounts.ts';
import { isBounded, scopesOf } from '../../api-server/quota/scopes.ts';
import { isCounted, measureOf } from '../../api-server/quota/usage.ts';
import type { ControllerContext, ControllerDefinition } from '../controller.ts';
import { itself, keyOf } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { Kind, Live } from '../kinds.ts';
import { storageOf } from '../server-store.ts';
import type { Store, StoreEvent } from '../store.ts';

/** All is counted again so often, whatever has been heard of. */
const resyncMs = 300_000;

/** Keeps the status of quotas: what they allow, and what is used of it. What a new object uses the server itself has written down when it admitted it. */
export const resourceQuotaController: ControllerDefinition = {
  name: 'resourcequota-controller',
  watches: [{ kind: kinds.resourceQuota, keys: itself }],
  everything: (event, store) => {
    const { apiVersion, kind, metadata } = event.object;
    // First what is quickest: most clusters have no quotas.
    const quotas = store.list<ResourceQuota>(kinds.resourceQuota, metadata.namespace ?? '');
    const freed = quotas.length === 0 || !freesRoom(event) ? undefined : store.kindOf(apiVersion, kind);
    if (freed === undefined) return [];
    const { counts } = measureOf(storageOf(freed));
    return quotas.filter(({ status }) => Object.keys(status?.hard ?? {}).some(counts)).map(keyOf);
  },
  reconcile: ({ namespace, name }, context) => {
    const quota = context.store.find<ResourceQuota>(kinds.resourceQuota, namespace, name);
    if (quota === undefined) return undefined;
    const hard = amountsOf(quota.spec?.hard);
    const before = amountsOf(quota.status?.used);
    const used = filtered(new Map([...before, ...usageOf(quota, context)]), (each) => hard.has(each));
    const isCurrent = sameAmounts(hard, amountsOf(quota.status?.hard)) && sameAmounts(used, before);
    if (!isCurrent || quota.status?.used === undefined)
      context.store.updateStatus<ResourceQuota>(kinds.resourceQuota, {
        ...quota,
        status: { hard: textsOf(hard), used: textsOf(used) },
      });
    return resyncMs;
  },
};

const textsOf = (amounts: Amounts): Record<string, string> => listOf(amounts) as Record<string, string>;

const json = (object: KubernetesObject): JsonObject => object as unknown as JsonObject;

/** Whether a change may leave more of a quota than there was: an object is gone, a pod has ended, a Service has another type. */
function freesRoom({ type, object, previous }: StoreEvent): boolean {
  if (type === 'DELETED') return object.metadata.namespace !== undefined;
  if (previous === undefined || object.apiVersion !== 'v1') return false;
  if (object.kind === 'Pod') return changesPodUsage(json(previous), json(object));
  if (object.kind === 'Service') return typeOf(previous) !== typeOf(object);
  return object.kind === 'PersistentVolumeClaim' && statusText(previous) !== statusText(object);
}

function changesPodUsage(before: JsonObject, after: JsonObject): boolean {
  // Grace periods are looked at when all is counted again.
  const isRunning = (pod: JsonObject): boolean => isCounted(pod, -Infinity);
  return (
    (isRunning(before) && !isRunning(after)) ||
    isBounded(before) !== isBounded(after) ||
    resources(before) !== resources(after)
  );
}

const typeOf = (service: KubernetesObject): unknown => (service as { spec?: { type?: unknown } }).spec?.type;
const statusText = (object: KubernetesObject): string => JSON.stringify((object as { status?: unknown }).status);

interface Resourced {
  readonly status?: { readonly containerStatuses?: readonly { readonly resources?: object }[] };
}
const resources = (pod: Resourced): string =>
  JSON.stringify(pod.status?.containerStatuses?.map((status) => status.resources) ?? []);

/** Kinds of which quotas count more than how many there are, and those that they have always counted. */
const known: readonly Kind<unknown>[] = [
  ...[kinds.pod, kinds.service, kinds.persistentVolumeClaim, kinds.configMap, kinds.secret],
  ...[kinds.replicationController, kinds.resourceQuota],
];

/** The kinds that a quota counts. */
function countedBy(names: readonly string[], store: Store): readonly Kind<unknown>[] {
  const ofKnown = known.filter((kind) => names.some(measureOf(storageOf(kind)).counts));
  const others = names.filter((name) => name.startsWith('count/') && !ofKnown.some((kind) => isOf(kind, name)));
  if (others.length === 0) return ofKnown;
  return [...ofKnown, ...store.allKinds().filter((kind) => kind.namespaced && others.some((name) => isOf(kind, name)))];
}

const isOf = (kind: Kind<unknown>, name: string): boolean => name === `count/${storageOf(kind)}`;

/** What is used now of what a quota counts. */
function usageOf(quota: Live<ResourceQuota>, { store, clock }: ControllerContext): Amounts {
  const names = Object.keys(quota.spec?.hard ?? {});
  const scopes = scopesOf(json(quota));
  let used: Amounts = new Map();
  for (const kind of countedBy(names, store)) {
    const { counts, inScope, usage } = measureOf(storageOf(kind));
    used = added(used, new Map(names.filter(counts).map((name) => [name, number(0)])));
    for (const object of store.list(kind, quota.metadata.namespace))
      if (scopes.every((scope) => inScope(json(object), scope))) used = added(used, usage(json(object), clock.now()));
  }
  return used;
}
