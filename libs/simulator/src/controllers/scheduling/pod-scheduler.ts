import { timestamp } from '@ordinal/client';
import type { KubernetesObject, ObjectKey } from '@ordinal/client';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from 'kubernetes-types/core/v1.js';
import type { ControllerContext, ControllerDefinition } from '../controller.ts';
import { keyOf } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { Live, LivePod } from '../kinds.ts';
import { isTerminating } from '../owner.ts';
import type { StoreEvent } from '../store.ts';
import { repels } from './anti-affinity.ts';
import { affinityAllows, toleratesNode } from './node-fit.ts';
import { hasEnded, occupantsFor } from './occupants.ts';
import { preempt } from './preemption.ts';
import { shortages } from './room.ts';

type LiveNode = Live<Node>;

/**
 * Binds pods to nodes: to the one with the fewest pods among those that the pod's node selector, required affinity, required anti-affinity by host
 * name, tolerations, volumes and requests allow. Where there is none, pods of a lower priority make room. It knows no preferences.
 */
export function podScheduler(): ControllerDefinition {
  /** Pods that found no node, by their keys: they look again when another pod is gone. */
  const waiting = new Map<string, ObjectKey>();
  return {
    name: 'kube-scheduler',
    watches: [
      {
        kind: kinds.pod,
        keys: (event) => {
          if (event.type === 'DELETED') waiting.delete(nameOf(event.object));
          const own = event.type === 'DELETED' ? [] : [keyOf(event.object)];
          return waiting.size > 0 && makesRoom(event) ? [...own, ...waiting.values()] : own;
        },
      },
      { kind: kinds.node, keys: (_, store) => store.list<Pod>(kinds.pod).filter(isUnbound).map(keyOf) },
      {
        kind: kinds.persistentVolumeClaim,
        keys: ({ object }, store) => store.list<Pod>(kinds.pod, object.metadata.namespace).filter(isUnbound).map(keyOf),
      },
    ],
    reconcile: ({ namespace, name }, context) => {
      const pod = context.store.find<Pod>(kinds.pod, namespace, name);
      waiting.delete(`${namespace}/${name}`);
      if (pod === undefined || !isUnbound(pod)) return undefined;
      const choice = choose(pod, context);
      if ('node' in choice) bind(pod, choice.node, context);
      else {
        waiting.set(`${namespace}/${name}`, { namespace, name });
        refuse(pod, choice, context);
      }
      return undefined;
    },
  };
}

const nameOf = ({ metadata }: KubernetesObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** Whether a pod takes no room any more since this event. */
function makesRoom({ type, object, previous }: StoreEvent): boolean {
  // Objects of this watch are pods.
  const [pod, before] = [object as LivePod, previous as LivePod | undefined];
  return type === 'DELETED' || (hasEnded(pod) && before !== undefined && !hasEnded(before));
}

function isUnbound(pod: LivePod): boolean {
  const name = pod.spec?.nodeName ?? '';
  return name === '' && !isTerminating(pod) && (pod.spec?.schedulingGates ?? []).length === 0;
}

/** The node for a pod; or why there is none, and on which room is being made. */
type Choice = { readonly node: LiveNode } | { readonly message: string; readonly nominated?: string | undefined };

function choose(pod: LivePod, context: ControllerContext): Choice {
  const { store } = context;
  const nodes = store.list<Node>(kinds.node);
  const missing = unavailableClaim(pod, store);
  if (missing !== undefined) return { message: missing };
  if (nodes.length === 0) return { message: 'no nodes available to schedule pods' };
  const occupants = occupantsFor(pod, store.list<Pod>(kinds.pod));
  const pinned = volumeNode(pod, store);
  const allowed = nodes.filter(
    (node) =>
      (pinned === undefined || pinned === node.metadata.name) &&
      toleratesNode(pod.spec, node) &&
      affinityAllows(pod.spec, node),
  );
  const lacks = new Map<LiveNode, readonly string[]>();
  for (const node of allowed) {
    const others = occupants(node.metadata.name);
    const isRepelled = others.some((other) => repels(pod, other));
    lacks.set(node, isRepelled ? [repelled] : shortages(pod, node, others));
  }
  const fitting = allowed.filter((node) => lacks.get(node)?.length === 0);
  const load = (node: LiveNode): number => occupants(node.metadata.name).length;
  const best = fitting.reduce<LiveNode | undefined>(
    (min, node) => (min === undefined || load(node) < load(min) ? node : min),
    undefined,
  );
  if (best !== undefined) return { node: best };
  return {
    message: messageOf(nodes.length, [...lacks.values()].flat()),
    nominated: preempt({ pod, nodes: allowed, occupants }, context),
  };
}

const repelled = "node(s) didn't match pod anti-affinity rules";

/** Why no node takes a pod. What is missing is named where it is room. */
function messageOf(count: number, reasons: readonly string[]): string {
  const none = `0/${count} nodes are available`;
  if (reasons.every((reason) => reason === repelled)) return none;
  const counted = [...new Set(reasons)].map(
    (reason) => `${reasons.filter((each) => each === reason).length} ${reason}`,
  );
  return `${none}: ${counted.sort().join(', ')}.`;
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

function bind(pod: LivePod, node: LiveNode, { store, event }: ControllerContext): void {
  const name = node.metadata.name;
  store.bind(pod, name);
  event(pod, 'Normal', [
    'Scheduled',
    `Successfully assigned ${pod.metadata.namespace ?? ''}/${pod.metadata.name} to ${name}`,
  ]);
}

function refuse(
  pod: LivePod,
  { message, nominated }: Exclude<Choice, { readonly node: LiveNode }>,
  { store, clock, event }: ControllerContext,
): void {
  const old = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const { nominatedNodeName, ...status } = pod.status ?? {};
  if (old?.status === 'False' && old.message === message && nominatedNodeName === nominated) return;
  const lastTransitionTime = old?.status === 'False' ? old.lastTransitionTime : timestamp(clock.now());
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    ...(lastTransitionTime && { lastTransitionTime }),
    ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
  };
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  store.updateStatus<Pod>(kinds.pod, {
    ...pod,
    status: {
      ...status,
      ...(nominated !== undefined && { nominatedNodeName: nominated }),
      conditions: [...others, condition],
    },
  });
  event(pod, 'Warning', ['FailedScheduling', message]);
}
