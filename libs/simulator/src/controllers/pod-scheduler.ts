import { timestamp } from '@ordinal/client';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from 'kubernetes-types/core/v1.js';
import type { ControllerContext, ControllerDefinition } from './controller.ts';
import { itself, keyOf } from './controller.ts';
import { kinds } from './kinds.ts';
import type { Live, LivePod } from './kinds.ts';
import { affinityAllows, toleratesNode } from './node-fit.ts';
import { isTerminating } from './owner.ts';
import { matchesSelector } from './selector.ts';

type LiveNode = Live<Node>;

/**
 * Binds pods to nodes: to the one with the fewest pods among those that the pod's node selector, required affinity, required anti-affinity by host
 * name, tolerations and volumes allow. It knows no resources, no preferences and no preemption.
 */
export const podScheduler: ControllerDefinition = {
  name: 'kube-scheduler',
  watches: [
    {
      kind: kinds.pod,
      keys: ({ object, type }) => (type === 'DELETED' ? [] : itself({ object, type }, undefined as never)),
    },
    { kind: kinds.node, keys: (_, store) => store.list<Pod>(kinds.pod).filter(isUnbound).map(keyOf) },
    {
      kind: kinds.persistentVolumeClaim,
      keys: ({ object }, store) => store.list<Pod>(kinds.pod, object.metadata.namespace).filter(isUnbound).map(keyOf),
    },
  ],
  reconcile: ({ namespace, name }, context) => {
    const pod = context.store.find<Pod>(kinds.pod, namespace, name);
    if (pod === undefined || !isUnbound(pod)) return undefined;
    const node = choose(pod, context);
    if (typeof node === 'string') refuse(pod, node, context);
    else bind(pod, node, context);
    return undefined;
  },
};

function isUnbound(pod: LivePod): boolean {
  const name = pod.spec?.nodeName ?? '';
  return name === '' && !isTerminating(pod) && (pod.spec?.schedulingGates ?? []).length === 0;
}

/** The node for a pod, or why there is none. */
function choose(pod: LivePod, { store }: ControllerContext): LiveNode | string {
  const nodes = store.list<Node>(kinds.node);
  const missing = unavailableClaim(pod, store);
  if (missing !== undefined) return missing;
  const pods = store
    .list<Pod>(kinds.pod)
    .filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
  const pinned = volumeNode(pod, store);
  const fitting = nodes.filter(
    (node) =>
      (pinned === undefined || pinned === node.metadata.name) &&
      toleratesNode(pod.spec, node) &&
      affinityAllows(pod.spec, node) &&
      !pods.some((other) => other.spec?.nodeName === node.metadata.name && repels(pod, other)),
  );
  const load = (node: LiveNode): number => pods.filter(({ spec }) => spec?.nodeName === node.metadata.name).length;
  const best = fitting.reduce<LiveNode | undefined>(
    (min, node) => (min === undefined || load(node) < load(min) ? node : min),
    undefined,
  );
  if (nodes.length === 0) return 'no nodes available to schedule pods';
  return best ?? `0/${nodes.length} nodes are available`;
}

function unavailableClaim(pod: LivePod, store: ControllerContext['store']): string | undefined {
  for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
    if (persistentVolumeClaim === undefined) continue;
    const { claimName } = persistentVolumeClaim;
    const claim = store.find<PersistentVolumeClaim>(
      kinds.persistentVolumeClaim,
      pod.metadata.namespace ?? '',
      claimName,
    );
    if (claim === undefined) return `persistentvolumeclaim "${claimName}" not found`;
    if (isTerminating(claim)) return `persistentvolumeclaim "${claimName}" is being deleted`;
    if (claim.status?.phase !== 'Bound') return 'pod has unbound immediate PersistentVolumeClaims';
  }
  return undefined;
}

/** The node that one of the pod's volumes is tied to. */
function volumeNode(pod: LivePod, store: ControllerContext['store']): string | undefined {
  for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
    const claim = store.find<PersistentVolumeClaim>(
      kinds.persistentVolumeClaim,
      pod.metadata.namespace ?? '',
      persistentVolumeClaim?.claimName ?? '',
    );
    const volume = store.find<PersistentVolume>(kinds.persistentVolume, '', claim?.spec?.volumeName ?? '');
    const terms = volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
    const host = terms[0]?.matchExpressions?.find(({ key }) => key === 'kubernetes.io/hostname')?.values?.[0];
    if (host !== undefined) return host;
  }
  return undefined;
}

/** Whether two pods must not share a node, by the anti-affinity of either. */
function repels(left: LivePod, right: LivePod): boolean {
  return wouldRepel(left, right) || wouldRepel(right, left);
}

function wouldRepel(pod: LivePod, other: LivePod): boolean {
  if (pod.metadata.uid === other.metadata.uid || pod.metadata.namespace !== other.metadata.namespace) return false;
  const terms = pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.some(
    ({ topologyKey, labelSelector }) =>
      topologyKey === 'kubernetes.io/hostname' && matchesSelector(labelSelector, other.metadata.labels),
  );
}

function bind(pod: LivePod, node: LiveNode, { store, event }: ControllerContext): void {
  const name = node.metadata.name;
  store.bind(pod, name);
  event(pod, 'Normal', [
    'Scheduled',
    `Successfully assigned ${pod.metadata.namespace ?? ''}/${pod.metadata.name} to ${name}`,
  ]);
}

function refuse(pod: LivePod, message: string, { store, clock, event }: ControllerContext): void {
  const old = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (old?.status === 'False' && old.message === message) return;
  const lastTransitionTime = old?.status === 'False' ? old.lastTransitionTime : timestamp(clock.now());
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    ...(lastTransitionTime && { lastTransitionTime }),
    ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
  };
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  store.updateStatus<Pod>(kinds.pod, { ...pod, status: { ...pod.status, conditions: [...others, condition] } });
  event(pod, 'Warning', ['FailedScheduling', message]);
}
