import { timestamp } from '@ordinal/client';
import type { Node, NodeCondition, Pod, Taint } from 'kubernetes-types/core/v1.js';
import type { Work } from '../scheduler/work.ts';
import type { ControllerContext, ControllerDefinition } from './controller.ts';
import { itself } from './controller.ts';
import { kinds } from './kinds.ts';
import type { Live, LivePod } from './kinds.ts';
import { isTerminating } from './owner.ts';
import { deletePods } from './workload/pods.ts';

type LiveNode = Live<Node>;

const monitorGraceMs = 40_000;
const defaultTolerationSeconds = 300;
const unreachableKey = 'node.kubernetes.io/unreachable';

/**
 * Notices nodes that are not heard of: after 40 seconds they count as unknown, and their pods as not ready; pods that do not tolerate it longer are
 * deleted after five minutes, which no kubelet there carries out, so they stay as `Terminating`.
 *
 * `lastHeard` shows since when a node is silent; undefined while it is not.
 */
export function nodeLifecycleController(silentSince: (node: string) => number | undefined): ControllerDefinition {
  return {
    name: 'node-lifecycle-controller',
    watches: [{ kind: kinds.node, keys: itself }],
    *reconcile({ name }, context) {
      const node = context.store.find<Node>(kinds.node, '', name);
      if (node === undefined) return undefined;
      const since = silentSince(name);
      const now = context.clock.now();
      if (since === undefined) return welcome(node, context);
      if (now < since + monitorGraceMs) return since + monitorGraceMs - now;
      declareUnknown(node, context);
      return yield* evict(name, since + monitorGraceMs, context);
    },
  };
}

const readyOf = (node: LiveNode): NodeCondition | undefined =>
  node.status?.conditions?.find(({ type }) => type === 'Ready');

function welcome(node: LiveNode, { store }: ControllerContext): undefined {
  const taints = node.spec?.taints ?? [];
  const others = taints.filter(({ key }) => key !== unreachableKey);
  if (readyOf(node)?.status === 'True' && others.length < taints.length) {
    store.update<Node>(kinds.node, { ...node, spec: { ...node.spec, taints: others } });
  }
  return undefined;
}

function declareUnknown(node: LiveNode, context: ControllerContext): void {
  const { store } = context;
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
    store.update<Node>(kinds.node, { ...updated, spec: { ...updated.spec, taints } });
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
}

function* evict(node: string, since: number, context: ControllerContext): Work<number | undefined> {
  const { store, clock } = context;
  let next: number | undefined;
  const due: LivePod[] = [];
  for (const pod of podsOn(node, context)) {
    const toleration = (pod.spec?.tolerations ?? []).find(
      ({ key, effect }) =>
        (key === undefined || key === unreachableKey) && (effect === undefined || effect === 'NoExecute'),
    );
    const seconds = toleration === undefined ? defaultTolerationSeconds : toleration.tolerationSeconds;
    if (seconds === undefined || isTerminating(pod)) continue;
    const left = since + seconds * 1000 - clock.now();
    if (left <= 0) due.push(pod);
    else next = Math.min(next ?? left, left);
  }
  const failures = yield* deletePods(store, due);
  if (failures.length > 0) throw failures[0];
  return next;
}

function podsOn(node: string, { store }: ControllerContext): readonly LivePod[] {
  return store.list<Pod>(kinds.pod).filter(({ spec }) => spec?.nodeName === node);
}
