import type { ObjectKey } from '@ordinal/client';
import type { Pod } from 'kubernetes-types/core/v1.js';
import type { Work } from '../../scheduler/work.ts';
import { claimed, itsControllerOrSuitors } from '../claim.ts';
import type { ControllerContext, ControllerDefinition } from '../controller.ts';
import { itself } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { LivePod, LiveStatefulSet } from '../kinds.ts';
import { nextAvailabilityMs } from '../pod-condition.ts';
import { selectedBy } from '../selector.ts';
import { ordinalOf } from './identity.ts';
import { adoptRevisions, listRevisions, resolveRevisions, truncateHistory } from './revisions.ts';
import { writeStatus } from './status.ts';
import { syncPods } from './sync.ts';

/** The StatefulSet controller of Kubernetes 1.36 with its default feature gates. */
export const statefulSetController: ControllerDefinition = {
  name: 'statefulset-controller',
  watches: [
    { kind: kinds.statefulSet, keys: itself },
    { kind: kinds.pod, keys: itsControllerOrSuitors(kinds.statefulSet) },
  ],
  reconcile,
};

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

/** The set's pods: those it controls, and orphans that fit it, which it adopts. A pod of its own that no longer fits is released. */
function claimPods(set: LiveStatefulSet, { store }: ControllerContext): LivePod[] {
  const fits = selectedBy(set.spec?.selector);
  const named = store
    .list<Pod>(kinds.pod, set.metadata.namespace)
    .filter(({ metadata }) => ordinalOf(set, metadata.name) !== undefined);
  return claimed<Pod>(named, { kind: kinds.pod, owner: set, fits }, store);
}
