import type { Instant } from '@ordinal/client';
import type { StatefulSet, StatefulSetStatus } from 'kubernetes-types/apps/v1.js';
import type { ControllerContext } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { LiveStatefulSet } from '../kinds.ts';
import { isPodAvailable, isRunningAndReady } from '../pod-condition.ts';
import type { PodState } from '../pod-condition.ts';
import { isTerminating } from '../owner.ts';
import { revisionOf } from './identity.ts';
import type { CurrentRevisions } from './revisions.ts';

/** A pod that the set has, or that it has only planned. */
export type CountedPod = PodState & { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } };

/** The figures of a set's status, counted over its pods. */
export function countPods(
  pods: readonly CountedPod[],
  set: LiveStatefulSet,
  revisions: CurrentRevisions,
  now: Instant,
): StatefulSetStatus {
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  const created = pods.filter((pod) => pod.status?.phase !== undefined);
  const ready = pods.filter(isRunningAndReady);
  const staying = created.filter((pod) => !isTerminating(pod));
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: created.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isPodAvailable(pod, minReadySeconds, now)).length,
    currentReplicas: staying.filter((pod) => revisionOf(pod) === revisions.current.metadata.name).length,
    updatedReplicas: staying.filter((pod) => revisionOf(pod) === revisions.update.metadata.name).length,
    currentRevision: revisions.current.metadata.name,
    updateRevision: revisions.update.metadata.name,
    collisionCount: revisions.collisionCount,
  };
}

/** Writes the status where it says something new; a rolling update that has come to its end makes the update revision the current one. */
export function writeStatus(
  set: LiveStatefulSet,
  counted: StatefulSetStatus,
  { store }: ControllerContext,
): StatefulSetStatus {
  const status = completed(set, counted);
  const old = set.status;
  const isNews =
    (status.observedGeneration ?? 0) > (old?.observedGeneration ?? 0) ||
    counters.some((counter) => (status[counter] ?? 0) !== (old?.[counter] ?? 0)) ||
    status.currentRevision !== old?.currentRevision ||
    status.updateRevision !== old?.updateRevision;
  if (isNews) store.updateStatus<StatefulSet>(kinds.statefulSet, { ...set, status: present(status) });
  return status;
}

const counters = ['replicas', 'currentReplicas', 'readyReplicas', 'updatedReplicas', 'availableReplicas'] as const;

function completed(set: LiveStatefulSet, status: StatefulSetStatus): StatefulSetStatus {
  const replicas = set.spec?.replicas ?? 1;
  const isComplete = [status.updatedReplicas, status.readyReplicas, status.replicas].every(
    (count) => count === replicas,
  );
  if (set.spec?.updateStrategy?.type !== 'RollingUpdate' || !isComplete) return status;
  return {
    ...status,
    currentReplicas: status.updatedReplicas ?? 0,
    ...(status.updateRevision && { currentRevision: status.updateRevision }),
  };
}

/** Counts of zero are left out, but for those that the API always shows. */
function present(status: StatefulSetStatus): StatefulSetStatus {
  const shown = { ...status };
  for (const counter of ['readyReplicas', 'currentReplicas', 'updatedReplicas'] as const)
    if (shown[counter] === 0) Reflect.deleteProperty(shown, counter);
  return shown;
}
