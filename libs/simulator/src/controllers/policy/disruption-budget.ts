import { controllerOf, timestamp } from '@ordinal/client';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from 'kubernetes-types/policy/v1.js';
import type { Pod } from 'kubernetes-types/core/v1.js';
import type { Deployment, ReplicaSet, StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { ControllerContext, ControllerDefinition } from '../controller.ts';
import { itself, keyOf } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { Live, LivePod } from '../kinds.ts';
import { isTerminating } from '../owner.ts';
import { isPodReady } from '../pod-condition.ts';
import { matchesSelector } from '../selector.ts';

type Budget = Live<PodDisruptionBudget>;

/** How long the record of an eviction counts before the pod is taken to be staying after all. */
const evictionExpiresMs = 120_000;

/** Keeps the status of PodDisruptionBudgets: how many of their pods may be evicted now. */
export const disruptionController: ControllerDefinition = {
  name: 'disruption-controller',
  watches: [
    { kind: kinds.podDisruptionBudget, keys: itself },
    {
      kind: kinds.pod,
      keys: ({ object, previous }, store) =>
        store
          .list<PodDisruptionBudget>(kinds.podDisruptionBudget, object.metadata.namespace)
          .filter(
            ({ spec }) =>
              selects(spec?.selector, object.metadata.labels) || selects(spec?.selector, previous?.metadata.labels),
          )
          .map(keyOf),
    },
  ],
  reconcile: ({ namespace, name }, context) => {
    const budget = context.store.find<PodDisruptionBudget>(kinds.podDisruptionBudget, namespace, name);
    if (budget === undefined) return undefined;
    const now = context.clock.now();
    const status = statusOf(budget, context);
    if (JSON.stringify(status) !== JSON.stringify(budget.status)) {
      context.store.updateStatus<PodDisruptionBudget>(kinds.podDisruptionBudget, { ...budget, status });
    }
    const records = Object.values(status.disruptedPods ?? {}).map(
      (time) => Date.parse(String(time)) + evictionExpiresMs - now,
    );
    return records.length === 0 ? undefined : Math.max(1000, Math.min(...records));
  },
};

/** A budget's empty selector selects every pod, an absent one none. */
const selects = (
  selector: NonNullable<Budget['spec']>['selector'],
  labels: Readonly<Record<string, string>> | undefined,
): boolean => labels !== undefined && matchesSelector(selector, labels);

function statusOf(budget: Budget, context: ControllerContext): PodDisruptionBudgetStatus {
  const { store, clock } = context;
  const now = clock.now();
  const pods = store
    .list<Pod>(kinds.pod, budget.metadata.namespace)
    .filter(({ metadata }) => selects(budget.spec?.selector, metadata.labels ?? {}));
  const disruptedPods = Object.fromEntries(
    Object.entries(budget.status?.disruptedPods ?? {}).filter(([name, time]) => {
      const pod = pods.find(({ metadata }) => metadata.name === name);
      return pod !== undefined && !isTerminating(pod) && Date.parse(String(time)) + evictionExpiresMs > now;
    }),
  );
  const expectedPods = expected(budget, pods, context);
  const desiredHealthy = desired(budget, pods, expectedPods);
  const currentHealthy = pods.filter(
    (pod) => isPodReady(pod) && !isTerminating(pod) && disruptedPods[pod.metadata.name] === undefined,
  ).length;
  const disruptionsAllowed = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
  return {
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
    conditions: [conditionOf(budget, disruptionsAllowed, now)],
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed,
    expectedPods,
    observedGeneration: budget.metadata.generation ?? 0,
  };
}

function conditionOf(
  budget: Budget,
  allowed: number,
  now: number,
): NonNullable<PodDisruptionBudgetStatus['conditions']>[number] {
  const before = budget.status?.conditions?.find(({ type }) => type === 'DisruptionAllowed');
  const status = allowed > 0 ? 'True' : 'False';
  const time = timestamp(now);
  return {
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : time,
    message: '',
    observedGeneration: budget.metadata.generation ?? 0,
    reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    status,
    type: 'DisruptionAllowed',
  };
}

/** How many pods there should be: what their controllers ask for, where the budget is relative or an upper bound. */
function expected({ spec }: Budget, pods: readonly LivePod[], context: ControllerContext): number {
  const isRelative = typeof spec?.minAvailable === 'string' || spec?.maxUnavailable !== undefined;
  if (!isRelative) return pods.length;
  const scales = new Map<string, number>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner !== undefined) scales.set(owner.uid, scaleOf(pod, owner, context));
  }
  return [...scales.values()].reduce((sum, scale) => sum + scale, 0);
}

function scaleOf(
  pod: LivePod,
  owner: { readonly kind: string; readonly name: string },
  { store }: ControllerContext,
): number {
  const namespace = pod.metadata.namespace ?? '';
  if (owner.kind === 'StatefulSet')
    return store.find<StatefulSet>(kinds.statefulSet, namespace, owner.name)?.spec?.replicas ?? 1;
  if (owner.kind !== 'ReplicaSet') return 1;
  const set = store.find<ReplicaSet>(kinds.replicaSet, namespace, owner.name);
  const deployment = set && controllerOf(set);
  if (deployment === undefined) return set?.spec?.replicas ?? 1;
  return store.find<Deployment>(kinds.deployment, namespace, deployment.name)?.spec?.replicas ?? 1;
}

function desired({ spec }: Budget, pods: readonly LivePod[], expectedPods: number): number {
  const scaled = (value: number | string): number =>
    typeof value === 'number' ? value : Math.ceil((Number(value.replace('%', '')) * expectedPods) / 100);
  if (spec?.maxUnavailable !== undefined) return Math.max(0, expectedPods - scaled(spec.maxUnavailable));
  return spec?.minAvailable === undefined ? pods.length : scaled(spec.minAvailable);
}
