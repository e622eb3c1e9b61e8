import { timestamp } from '@ordinal/client';
import type { Steps } from '../admission/steps.ts';
import { mutate, validate } from '../admission/webhooks.ts';
import { metadataOf } from '../kinds/metadata-rules.ts';
import { items, part } from '../kinds/spec.ts';
import { isObject } from '../object.ts';
import type { StoredObject } from '../object.ts';
import type { ApiReply, ApiRequest, JsonObject } from '../request.ts';
import { keyOf, liveObject, nameOf } from '../resources/target.ts';
import type { ApiServer } from '../server.ts';
import { structuredSelector } from '../store/selectors.ts';
import { badRequest, forbidden, pathNotFound, tooManyRequests } from '../status.ts';
import type { ServerResource } from '../resources/resource.ts';
import { update } from '../verbs/change.ts';
import { deleteOptionsOf, remove } from '../verbs/delete.ts';
import { WriteScope } from '../verbs/write-scope.ts';

const budgets = { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets' };
const wouldViolate = "Cannot evict pod as it would violate the pod's disruption budget.";

const evicted: ApiReply = {
  status: 201,
  body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
};

/** Deletes a pod where its disruption budget allows it now; 429 where it does not. */
export function* evict(server: ApiServer, request: ApiRequest): Steps<ApiReply> {
  const resource = server.resources.find(request.resource);
  if (resource === undefined) throw pathNotFound();
  const eviction = isObject(request.body) ? request.body : {};
  const { name: given } = metadataOf(eviction);
  if (given !== nameOf(request)) throw badRequest('name in URL does not match name in Eviction object');
  const { namespace } = request;
  const scope = new WriteScope(server, { ...request, body: eviction['deleteOptions'] }, resource);
  const attributes = scope.attributes({
    operation: 'CREATE',
    name: nameOf(request),
    object: {
      ...eviction,
      kind: 'Eviction',
      apiVersion: 'policy/v1',
      metadata: { ...metadataOf(eviction), namespace },
    },
    oldObject: undefined,
    objectKind: { group: 'policy', version: 'v1', kind: 'Eviction' },
  });
  yield* mutate(server.store, attributes);
  yield* validate(server, attributes);
  const pod = liveObject(server.store, resource, request);
  const options = deleteOptionsOf({ ...request, body: eviction['deleteOptions'] });
  if (!needsNoBudget(pod)) {
    const budget = budgetOf(server, pod);
    if (budget === 'several')
      return {
        status: 500,
        body: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
          code: 500,
        },
      };
    if (budget !== undefined && !unhealthyMayBeEvicted(pod, budget))
      yield* spend(server, { budget, pod, dryRun: options.dryRun === true });
  }
  const deletion = new WriteScope(
    server,
    {
      verb: 'delete',
      resource: request.resource,
      ...(request.namespace !== undefined && { namespace: request.namespace }),
      ...(request.user && { user: request.user }),
      ...(request.options && { options: request.options }),
      name: nameOf(request),
    },
    resource,
  );
  const marked = options.dryRun === true ? pod : markDisrupted(server, resource, pod);
  yield* remove(deletion, marked, options);
  return evicted;
}

const statusOf = (object: StoredObject): JsonObject => part(object as unknown as JsonObject, 'status');

/** Pods that have ended, are going, or never ran disturb no service. */
function needsNoBudget(pod: StoredObject): boolean {
  const phase = String(statusOf(pod)['phase']);
  return (
    phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || pod.metadata.deletionTimestamp !== undefined
  );
}

const isReady = (pod: StoredObject): boolean =>
  items(statusOf(pod)['conditions']).some(({ type, status }) => type === 'Ready' && status === 'True');

function budgetOf(server: ApiServer, pod: StoredObject): StoredObject | 'several' | undefined {
  const labels = pod.metadata.labels ?? {};
  const found = server.store
    .snapshot('poddisruptionbudgets.policy')
    .map(([, budget]) => budget)
    .filter((budget) => {
      const { selector } = part(budget as unknown as JsonObject, 'spec');
      return (
        budget.metadata.namespace === pod.metadata.namespace &&
        structuredSelector(isObject(selector) ? selector : undefined)(labels)
      );
    });
  return found.length > 1 ? 'several' : found[0];
}

/** A pod that is not ready may go where the others are enough, or where the budget says so. */
function unhealthyMayBeEvicted(pod: StoredObject, budget: StoredObject): boolean {
  if (isReady(pod)) return false;
  if (part(budget as unknown as JsonObject, 'spec')['unhealthyPodEvictionPolicy'] === 'AlwaysAllow') return true;
  const { currentHealthy, desiredHealthy } = statusOf(budget);
  return Number(currentHealthy) >= Number(desiredHealthy) && Number(desiredHealthy) > 0;
}

/** Takes one disruption off the budget, or refuses. */
function* spend(
  server: ApiServer,
  { budget, pod, dryRun }: { budget: StoredObject; pod: StoredObject; dryRun: boolean },
): Steps<void> {
  const status = statusOf(budget);
  const { name } = budget.metadata;
  const cause = (message: string) => ({ causes: [{ reason: 'DisruptionBudget', message }] });
  if (Number(status['observedGeneration'] ?? 0) < (budget.metadata.generation ?? 0))
    throw tooManyRequests(wouldViolate, {
      ...cause(`The disruption budget ${name} is still being processed by the server.`),
      retryAfterSeconds: 10,
    });
  const allowed = Number(status['disruptionsAllowed'] ?? 0);
  if (allowed < 0) throw forbidden(budgets, name, 'pdb disruptions allowed is negative');
  if (allowed === 0) throw tooManyRequests(wouldViolate, cause(refusalOf(name, status)));
  if (dryRun) return;
  const next = {
    ...status,
    disruptionsAllowed: allowed - 1,
    ...(allowed === 1 && { conditions: exhausted(server, status) }),
    disruptedPods: { ...part(status, 'disruptedPods'), [pod.metadata.name]: timestamp(server.clock.now()) },
  };
  yield* update(server, {
    verb: 'update',
    resource: budgets,
    ...(budget.metadata.namespace !== undefined && { namespace: budget.metadata.namespace }),
    name,
    subresource: 'status',
    userAgent: 'kube-apiserver',
    body: { ...budget, status: next },
  });
}

/** The conditions of a budget that has no disruption left. */
function exhausted(server: ApiServer, status: JsonObject): readonly JsonObject[] {
  const conditions = items(status['conditions']);
  const before = conditions.find(({ type }) => type === 'DisruptionAllowed');
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration: status['observedGeneration'],
    lastTransitionTime: before?.['status'] === 'False' ? before['lastTransitionTime'] : timestamp(server.clock.now()),
    reason: 'InsufficientPods',
    message: '',
  };
  return before ? conditions.map((entry) => (entry === before ? condition : entry)) : [...conditions, condition];
}

/** Records in the pod why it goes. */
function markDisrupted(server: ApiServer, resource: ServerResource, pod: StoredObject): StoredObject {
  const status = statusOf(pod);
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(server.clock.now()),
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  const others = items(status['conditions']).filter(({ type }) => type !== 'DisruptionTarget');
  return server.write(resource, keyOf(resource, pod.metadata.namespace, pod.metadata.name), {
    ...pod,
    status: { ...status, conditions: [...others, condition] },
  });
}

function refusalOf(name: string, status: JsonObject): string {
  const condition = items(status['conditions']).find(({ type }) => type === 'DisruptionAllowed');
  const said = condition?.['status'] === 'False' && condition['message'] ? String(condition['message']) : undefined;
  if (said !== undefined && condition?.['reason'] === 'SyncFailed')
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${said}`;
  const current = Number(status['currentHealthy'] ?? 0);
  const desired = Number(status['desiredHealthy'] ?? 0);
  if (current <= desired)
    return `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`;
  const generic = `The disruption budget ${name} does not allow evicting pods currently`;
  return said === undefined ? generic : `${generic} (${String(condition?.['reason'])}): ${said}`;
}
