import type { Instant } from '@ordinal/client';
import { isApiError, timestamp } from '@ordinal/client';
import type { ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from 'kubernetes-types/apps/v1.js';
import type { Pod } from 'kubernetes-types/core/v1.js';
import { sideBySide } from '../../scheduler/work.ts';
import type { Work } from '../../scheduler/work.ts';
import { claimed, itsControllerOrSuitors } from '../claim.ts';
import type { ControllerContext, ControllerDefinition } from '../controller.ts';
import { deleteObject, itself } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { Live, LivePod } from '../kinds.ts';
import { isTerminating } from '../owner.ts';
import { isPodAvailable, isPodReady, nextAvailabilityMs } from '../pod-condition.ts';
import { selectedBy } from '../selector.ts';
import { isActive, podFromTemplate } from './pods.ts';

/** The ReplicaSet controller. */
export const replicaSetController: ControllerDefinition = {
  name: 'replicaset-controller',
  watches: [
    { kind: kinds.replicaSet, keys: itself },
    { kind: kinds.pod, keys: itsControllerOrSuitors(kinds.replicaSet) },
  ],
  *reconcile({ namespace, name }, context) {
    const set = context.store.find<ReplicaSet>(kinds.replicaSet, namespace, name);
    if (set === undefined) return undefined;
    return yield* keepReplicas(set, context, (status) => {
      context.store.updateStatus<ReplicaSet>(kinds.replicaSet, { ...set, status });
    });
  },
};

/** Creates and deletes pods until there are as many as a set wants, and gives its status to be written where it differs. */
export function* keepReplicas(
  set: Live<ReplicaSet>,
  context: ControllerContext,
  write: (status: ReplicaSetStatus) => void,
): Work<number | undefined> {
  const pods = claimPods(set, context);
  const failure = isTerminating(set) ? undefined : yield* adjust(set, pods, context);
  const status = statusOf(set, pods, { failure: failure?.error, now: context.clock.now() });
  if (status !== undefined) write(status);
  if (failure !== undefined) throw failure.error;
  return nextAvailabilityMs(pods, set.spec?.minReadySeconds ?? 0, context.clock.now());
}

function claimPods(set: Live<ReplicaSet>, { store }: ControllerContext): readonly LivePod[] {
  const fits = selectedBy(set.spec?.selector);
  const active = store.list<Pod>(kinds.pod, set.metadata.namespace).filter(isActive);
  return claimed<Pod>(active, { kind: kinds.pod, owner: set, fits }, store);
}

function* adjust(
  set: Live<ReplicaSet>,
  pods: readonly LivePod[],
  context: ControllerContext,
): Work<{ readonly error: unknown } | undefined> {
  const { store, event } = context;
  const missing = (set.spec?.replicas ?? 1) - pods.length;
  for (let count = 0; count < missing; count += 1) {
    try {
      const pod = store.create<Pod>(kinds.pod, podFromTemplate(set, set.spec?.template));
      event(set, 'Normal', ['SuccessfulCreate', `Created pod: ${pod.metadata.name}`]);
    } catch (error) {
      event(set, 'Warning', ['FailedCreate', `Error creating: ${messageOf(error)}`]);
      return { error };
    }
  }
  const surplus = missing < 0 ? [...pods].sort(byExpendability).slice(0, -missing) : [];
  const [failure] = yield* sideBySide(surplus.map((pod) => deletePod(set, pod, context)));
  return failure === undefined ? undefined : { error: failure };
}

function* deletePod(set: Live<ReplicaSet>, pod: LivePod, context: ControllerContext): Work<void> {
  const { event } = context;
  try {
    yield* deleteObject(context.store, [kinds.pod, pod], { uid: pod.metadata.uid });
    event(set, 'Normal', ['SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`]);
  } catch (error) {
    event(set, 'Warning', ['FailedDelete', `Error deleting: ${messageOf(error)}`]);
    throw error;
  }
}

/** Pods that are not assigned, not running or not ready go first; of those alike, the youngest. */
function byExpendability(left: LivePod, right: LivePod): number {
  const rank = (pod: LivePod): number =>
    ((pod.spec?.nodeName ?? '') === '' ? 0 : 1) + (pod.status?.phase === 'Running' ? 2 : 0) + (isPodReady(pod) ? 4 : 0);
  const cost = (pod: LivePod): number =>
    Number(pod.metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0);
  return (
    rank(left) - rank(right) ||
    cost(left) - cost(right) ||
    right.metadata.creationTimestamp.localeCompare(left.metadata.creationTimestamp) ||
    right.metadata.name.localeCompare(left.metadata.name)
  );
}

const counters = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'observedGeneration',
] as const;

/** The status that the pods make; undefined where it is that already. */
function statusOf(
  set: Live<ReplicaSet>,
  pods: readonly LivePod[],
  { failure, now }: { readonly failure: unknown; readonly now: Instant },
): ReplicaSetStatus | undefined {
  const template = Object.entries(set.spec?.template?.metadata?.labels ?? {});
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  const nonZero = (
    name: 'fullyLabeledReplicas' | 'readyReplicas' | 'availableReplicas',
    count: number,
  ): Partial<ReplicaSetStatus> => (count === 0 ? {} : { [name]: count });
  const status: ReplicaSetStatus = {
    replicas: pods.length,
    ...nonZero(
      'fullyLabeledReplicas',
      pods.filter(({ metadata }) => template.every(([key, value]) => metadata.labels?.[key] === value)).length,
    ),
    ...nonZero('readyReplicas', pods.filter(isPodReady).length),
    ...nonZero('availableReplicas', pods.filter((pod) => isPodAvailable(pod, minReadySeconds, now)).length),
    observedGeneration: set.metadata.generation ?? 0,
    ...conditionsOf(set, { missing: (set.spec?.replicas ?? 1) - pods.length, failure, now }),
  };
  const old = set.status;
  const isSame =
    counters.every((counter) => (old?.[counter] ?? 0) === (status[counter] ?? 0)) &&
    isFailing(old?.conditions) === isFailing(status.conditions);
  return isSame ? undefined : status;
}

const failing = 'ReplicaFailure';
const isFailing = (conditions: readonly ReplicaSetCondition[] = []): boolean =>
  conditions.some(({ type }) => type === failing);

/** The conditions of a set: that its pods could not be created, or deleted, is one while it is so. */
function conditionsOf(
  { status }: Live<ReplicaSet>,
  { missing, failure, now }: { readonly missing: number; readonly failure: unknown; readonly now: Instant },
): Pick<ReplicaSetStatus, 'conditions'> {
  const before = status?.conditions ?? [];
  if (failure !== undefined && isFailing(before)) return { conditions: before };
  const others = before.filter(({ type }) => type !== failing);
  if (failure === undefined) return others.length > 0 ? { conditions: others } : {};
  const reason = missing > 0 ? 'FailedCreate' : 'FailedDelete';
  const condition = {
    ...{ type: failing, status: 'True', reason, message: messageOf(failure) },
    lastTransitionTime: timestamp(now),
  };
  return { conditions: [...others, condition] };
}

/** What the server said. */
const messageOf = (error: unknown): string =>
  isApiError(error) ? (error.status.message ?? '') : error instanceof Error ? error.message : String(error);
