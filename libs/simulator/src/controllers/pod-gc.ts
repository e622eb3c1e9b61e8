import type { Node, Pod } from 'kubernetes-types/core/v1.js';
import type { Work } from '../scheduler/work.ts';
import type { ControllerContext, ControllerDefinition } from './controller.ts';
import { deleteObject, itself, keyOf } from './controller.ts';
import { kinds } from './kinds.ts';
import type { LivePod } from './kinds.ts';
import { isTerminating } from './owner.ts';
import { disruptedStatus } from './pod-condition.ts';

/** The real collector looks every 20 seconds, and gives a node that is missing two looks' time to come back. */
const checkPeriodMs = 20_000;
const quarantineMs = 40_000;
const orphaned = ['DeletionByPodGC', 'PodGC: node no longer exists'] as const;

/** Ends pods that no kubelet will end: those that are deleted before they had a node, and those whose node is gone from the API. */
export const podGarbageController: ControllerDefinition = {
  name: 'pod-garbage-collector',
  watches: [
    { kind: kinds.pod, keys: itself },
    {
      kind: kinds.node,
      keys: ({ type, object }, store) =>
        type === 'DELETED'
          ? store
              .list<Pod>(kinds.pod)
              .filter(({ spec }) => spec?.nodeName === object.metadata.name)
              .map(keyOf)
          : [],
    },
  ],
  *reconcile({ namespace, name }, context) {
    const pod = context.store.find<Pod>(kinds.pod, namespace, name);
    if (pod === undefined) return undefined;
    const node = pod.spec?.nodeName ?? '';
    if (node === '') return isTerminating(pod) ? yield* endAfter(pod, checkPeriodMs, context) : undefined;
    if (context.store.find<Node>(kinds.node, '', node) !== undefined) return undefined;
    return yield* endAfter(pod, quarantineMs, context);
  },
};

const seenKey = (pod: LivePod): number => Date.parse(pod.metadata.deletionTimestamp ?? pod.metadata.creationTimestamp);

function* endAfter(pod: LivePod, patienceMs: number, context: ControllerContext): Work<number | undefined> {
  const { store, clock } = context;
  const left = seenKey(pod) + patienceMs - clock.now();
  if (left > 0) return left;
  const isOver = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
  const isOrphan = (pod.spec?.nodeName ?? '') !== '';
  const { generation } = pod.metadata;
  const seen = generation === undefined ? {} : { observedGeneration: generation };
  const status = isOrphan ? disruptedStatus(pod, orphaned, clock.now()) : pod.status;
  if (!isOver) store.updateStatus<Pod>(kinds.pod, { ...pod, status: { ...status, ...seen, phase: 'Failed' } });
  if (!isTerminating(pod) || pod.metadata.deletionGracePeriodSeconds !== 0) {
    yield* deleteObject(context.store, [kinds.pod, pod], { uid: pod.metadata.uid, gracePeriodSeconds: 0 });
  }
  return undefined;
}
