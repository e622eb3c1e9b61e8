import type { ObjectKey } from '@ordinal/client';
import { controllerOf, controllerReference } from '@ordinal/client';
import type { Pod } from 'kubernetes-types/core/v1.js';
import type { Work } from '../../scheduler/work.ts';
import type { ControllerContext, ControllerDefinition } from '../controller.ts';
import { itself, itsController, keyOf } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { LivePod, LiveStatefulSet } from '../kinds.ts';
import { isTerminating } from '../owner.ts';
import { nextAvailabilityMs } from '../pod-condition.ts';
import { matchesSelector } from '../selector.ts';
import { ordinalOf } from './identity.ts';
import { adoptRevisions, listRevisions, resolveRevisions, truncateHistory } from './revisions.ts';
import { writeStatus } from './status.ts';
import { syncPods } from './sync.ts';

/** The StatefulSet controller of Kubernetes 1.36 with its default feature gates. */
export const statefulSetController: ControllerDefinition = {
  name: 'statefulset-controller',
  watches: [
    { kind: kinds.statefulSet, keys: itself },
    {
      kind: kinds.pod,
      keys: (event, store) => [...itsController(kinds.statefulSet)(event, store), ...setsOfOrphan(event.object, store)],
    },
  ],
  reconcile,
};

function setsOfOrphan(pod: LivePod, store: ControllerContext['store']): readonly ObjectKey[] {
  if (controllerOf(pod) !== undefined) return [];
  return store
    .list(kinds.statefulSet, pod.metadata.namespace)
    .filter((set) => matchesSelector(set.spec?.selector, pod.metadata.labels))
    .map(keyOf);
}

function* reconcile(key: ObjectKey, context: ControllerContext): Work<number | undefined> {
  const set = context.store.find(kinds.statefulSet, key.namespace, key.name);
  if (set === undefined) return undefined;
  adoptRevisions(set, context);
  const pods = claimPods(set, context);
  const revisions = listRevisions(set, context);
  const resolved = resolveRevisions(set, revisions, context);
  const { status, error } = yield* syncPods(set, pods, resolved, context);
  const written = writeStatus(set, status, context);
  truncateHistory(
    set,
    pods,
    { revisions, live: [resolved.current.metadata.name, resolved.update.metadata.name] },
    context,
  );
  if (error !== undefined) throw error;
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  if (minReadySeconds === 0 || written.readyReplicas === written.availableReplicas) return undefined;
  return nextAvailabilityMs(pods, minReadySeconds, context.clock.now()) ?? minReadySeconds * 1000;
}

/** The set's pods: those it controls, and orphans that fit it, which it adopts. */
function claimPods(set: LiveStatefulSet, { store }: ControllerContext): LivePod[] {
  const pods: LivePod[] = [];
  for (const pod of store.list<Pod>(kinds.pod, set.metadata.namespace)) {
    if (ordinalOf(set, pod.metadata.name) === undefined) continue;
    const owner = controllerOf(pod);
    const fits = matchesSelector(set.spec?.selector, pod.metadata.labels);
    if (owner?.uid === set.metadata.uid) {
      if (fits) pods.push(pod);
      else if (!isTerminating(set))
        store.update<Pod>(
          kinds.pod,
          withOwners(pod, (reference) => reference.uid !== set.metadata.uid),
        );
    } else if (owner === undefined && fits && !isTerminating(set) && !isTerminating(pod)) {
      const ownerReferences = [...(pod.metadata.ownerReferences ?? []), controllerReference(set)];
      pods.push(store.update<Pod>(kinds.pod, { ...pod, metadata: { ...pod.metadata, ownerReferences } }));
    }
  }
  return pods;
}

function withOwners(pod: LivePod, keep: (reference: { readonly uid: string }) => boolean): LivePod {
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: (pod.metadata.ownerReferences ?? []).filter(keep) } };
}
