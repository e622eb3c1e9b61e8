import { timestamp } from '@ordinal/client';
import type { Instant, ObjectKey } from '@ordinal/client';
import type { Node, NodeCondition, Pod, Taint } from 'kubernetes-types/core/v1.js';
import type { Work } from '../scheduler/work.ts';
import type { ControllerContext, ControllerDefinition } from './controller.ts';
import { itself } from './controller.ts';
import { kinds } from './kinds.ts';
import type { Live, LivePod } from './kinds.ts';
import { isTerminating } from './owner.ts';
import { disruptedStatus, isDisrupted } from './pod-condition.ts';
import { tolerationSeconds } from './taints.ts';
import { deletePods } from './workload/pods.ts';

type LiveNode = Live<Node>;

const monitorGraceMs = 40_000;
const unreachableKey = 'node.kubernetes.io/unreachable';

/**
 * Notices nodes that are not heard of: after 40 seconds they count as unknown, and their pods as not ready. Pods that do not tolerate a taint of their node
 * with the effect `NoExecute`, or no longer, are deleted; five minutes after that, by default, where the node is silent. No kubelet there carries that
 * out, so they stay as `Terminating`.
 *
 * `silentSince` shows since when a node is silent; undefined while it is not.
 */
export function nodeLifecycleController(silentSince: (node: string) => number | undefined): ControllerDefinition {
  const stays: Stays = new Map();
  return {
    name: 'node-lifecycle-controller',
    watches: [
      { kind: kinds.node, keys: itself },
      // The pods of a node that is silent are looked at when it falls silent: none comes to it later.
      { kind: kinds.pod, keys: ({ object }, store) => nodeWithTaints(object, store) },
    ],
    *reconcile({ name }, context) {
      const node = context.store.find<Node>(kinds.node, '', name);
      if (node === undefined) return undefined;
      const since = silentSince(name);
      const now = context.clock.now();
      if (since === undefined) {
        const taints = (welcome(node, context).spec?.taints ?? []).filter(isOwnTaint);
        return yield* evict(name, { taints, since: now, stays }, context);
      }
      if (now < since + monitorGraceMs) return since + monitorGraceMs - now;
      const taints = (declareUnknown(node, context).spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
      return yield* evict(name, { taints, since: since + monitorGraceMs, stays }, context);
    },
  };
}

/** Since when pods are on a node that they do not tolerate forever: by the node's name and their UIDs. */
type Stays = Map<string, ReadonlyMap<string, Instant>>;

const byTaint = ['DeletionByTaintManager', 'Taint manager: deleting due to NoExecute taint'] as const;

const isOwnTaint = ({ key, effect }: Taint): boolean => effect === 'NoExecute' && key !== unreachableKey;

function nodeWithTaints(pod: LivePod, store: ControllerContext['store']): readonly ObjectKey[] {
  const node = store.find<Node>(kinds.node, '', pod.spec?.nodeName ?? '');
  return node?.spec?.taints?.some(isOwnTaint) === true ? [{ namespace: '', name: node.metadata.name }] : [];
}

const readyOf = (node: LiveNode): NodeCondition | undefined =>
  node.status?.conditions?.find(({ type }) => type === 'Ready');

function welcome(node: LiveNode, { store }: ControllerContext): LiveNode {
  const taints = node.spec?.taints ?? [];
  const others = taints.filter(({ key }) => key !== unreachableKey);
  if (readyOf(node)?.status === 'True' && others.length < taints.length) {
    return store.update<Node>(kinds.node, { ...node, spec: { ...node.spec, taints: others } });
  }
  return node;
}

function declareUnknown(node: LiveNode, context: ControllerContext): LiveNode {
  const { store } = context;
  let tainted = node;
  const time = timestamp(context.clock.now());
  if (readyOf(node)?.status !== 'Unknown') {
    const ready: NodeCondition = {
      ...readyOf(node),
      type: 'Ready',
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: time,
    };
    const conditions = [...(node.status?.conditions ?? []).filter(({ type }) => type !== 'Ready'), ready];
    const updated = store.updateStatus<Node>(kinds.node, { ...node, status: { ...node.status, conditions } });
    const taints: Taint[] = [
      ...(updated.spec?.taints ?? []),
      { key: unreachableKey, effect: 'NoSchedule', timeAdded: time },
      { key: unreachableKey, effect: 'NoExecute', timeAdded: time },
    ];
    tainted = store.update<Node>(kinds.node, { ...updated, spec: { ...updated.spec, taints } });
  }
  for (const pod of podsOn(node.metadata.name, context)) {
    const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
    if (ready?.status !== 'True') continue;
    const conditions = (pod.status?.conditions ?? []).map((condition) =>
      condition.type === 'Ready'
        ? { ...condition, status: 'False', reason: 'NodeNotReady', lastTransitionTime: time }
        : condition,
    );
    store.updateStatus<Pod>(kinds.pod, { ...pod, status: { ...pod.status, conditions } });
  }
  return tainted;
}

/** What pods of a node have to tolerate, and since when at the latest. */
interface Eviction {
  readonly taints: readonly Taint[];
  readonly since: Instant;
  readonly stays: Stays;
}

function* evict(
  node: string,
  { taints, since, stays }: Eviction,
  context: ControllerContext,
): Work<number | undefined> {
  const known = stays.get(node);
  stays.delete(node);
  if (taints.length === 0) return undefined;
  const { store, clock } = context;
  const own = new Map<string, Instant>();
  stays.set(node, own);
  let next: number | undefined;
  const due: LivePod[] = [];
  for (const pod of podsOn(node, context)) {
    const seconds = tolerationSeconds(pod, taints);
    if (seconds === undefined || isTerminating(pod)) continue;
    const began = known?.get(pod.metadata.uid) ?? since;
    own.set(pod.metadata.uid, began);
    const left = began + seconds * 1000 - clock.now();
    if (left <= 0) due.push(pod);
    else next = Math.min(next ?? left, left);
  }
  for (const pod of due)
    if (!isDisrupted(pod))
      store.updateStatus<Pod>(kinds.pod, { ...pod, status: disruptedStatus(pod, byTaint, clock.now()) });
  const failures = yield* deletePods(store, due);
  if (failures.length > 0) throw failures[0];
  return next;
}

function podsOn(node: string, { store }: ControllerContext): readonly LivePod[] {
  return store.list<Pod>(kinds.pod).filter(({ spec }) => spec?.nodeName === node);
}
