import type { DaemonSet } from 'kubernetes-types/apps/v1.js';
import type { Affinity, Node, Pod, PodSpec, Toleration } from 'kubernetes-types/core/v1.js';
import type { Live, LivePod } from '../kinds.ts';
import { affinityAllows, toleratesNode } from '../scheduling/node-fit.ts';
import { isTerminating } from '../owner.ts';
import type { Draft } from '../store.ts';
import { podFromTemplate } from '../workload/pods.ts';

/** A DaemonSet from the store. */
export type LiveDaemonSet = Live<DaemonSet>;

/** The label with the revision of a pod's template. */
export const revisionLabel = 'controller-revision-hash';
/** The annotation of a DaemonSet that counts the changes of its template. */
const generationAnnotation = 'deprecated.daemonset.template.generation';
const generationLabel = 'pod-template-generation';

/** What problems of its node a daemon's pod survives, beside those that it names. */
function ownTolerations({ hostNetwork }: PodSpec): readonly Toleration[] {
  const toleration = (problem: string, effect: string): Toleration => ({
    key: `node.kubernetes.io/${problem}`,
    operator: 'Exists',
    effect,
  });
  return [
    toleration('not-ready', 'NoExecute'),
    toleration('unreachable', 'NoExecute'),
    toleration('disk-pressure', 'NoSchedule'),
    toleration('memory-pressure', 'NoSchedule'),
    toleration('pid-pressure', 'NoSchedule'),
    toleration('unschedulable', 'NoSchedule'),
    ...(hostNetwork === true ? [toleration('network-unavailable', 'NoSchedule')] : []),
  ];
}

function withTolerations(spec: PodSpec): PodSpec {
  const own = ownTolerations(spec);
  const isOwn = (given: Toleration): boolean =>
    own.some(
      ({ key, effect }) =>
        given.key === key && given.effect === effect && given.operator === 'Exists' && (given.value ?? '') === '',
    );
  const given = (spec.tolerations ?? []).map((toleration) => {
    if (!isOwn(toleration)) return toleration;
    return own.find(({ key, effect }) => toleration.key === key && toleration.effect === effect) ?? toleration;
  });
  return { ...spec, tolerations: [...given, ...own.filter((toleration) => !given.includes(toleration))] };
}

/** Whether a node is to have a pod of the set, and whether one that it has may stay. */
export function wishFor(set: LiveDaemonSet, node: Live<Node>): { readonly run: boolean; readonly stay: boolean } {
  const template = set.spec?.template.spec ?? { containers: [] };
  const name = template.nodeName ?? '';
  const spec = withTolerations(template);
  if ((name !== '' && name !== node.metadata.name) || !affinityAllows(spec, node)) return { run: false, stay: false };
  return { run: toleratesNode(spec, node), stay: toleratesNode(spec, node, ['NoExecute']) };
}

/** A new pod of the set for a node. The scheduler binds it: its affinity names the node. */
export function podFor(set: LiveDaemonSet, node: string, hash: string): Draft<Pod> {
  const draft = podFromTemplate(set, set.spec?.template);
  const generation = templateGeneration(set);
  const labels = {
    ...draft.metadata.labels,
    ...(generation !== undefined && { [generationLabel]: generation }),
    [revisionLabel]: hash,
  };
  const spec = withTolerations(draft.spec ?? { containers: [] });
  return {
    ...draft,
    metadata: { ...draft.metadata, labels },
    spec: { ...spec, affinity: boundTo(node, spec.affinity) },
  };
}

function boundTo(node: string, affinity: Affinity = {}): Affinity {
  const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }];
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return { ...affinity, nodeAffinity: { ...affinity.nodeAffinity, ...required } };
}

/** The node that a pod is on, or made for. */
export function nodeOf({ spec }: LivePod): string | undefined {
  if ((spec?.nodeName ?? '') !== '') return spec?.nodeName;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  for (const { matchFields = [] } of terms)
    for (const { key, operator, values = [] } of matchFields)
      if (key === 'metadata.name' && operator === 'In' && values.length === 1) return values[0];
  return undefined;
}

function templateGeneration({ metadata }: LiveDaemonSet): string | undefined {
  const text = metadata.annotations?.[generationAnnotation];
  return text !== undefined && /^-?\d+$/.test(text) ? text : undefined;
}

/** Whether the pod is of the present template. */
export function isUpdated(set: LiveDaemonSet, { metadata }: LivePod, hash: string): boolean {
  const generation = templateGeneration(set);
  return (
    metadata.labels?.[revisionLabel] === hash ||
    (generation !== undefined && metadata.labels?.[generationLabel] === generation)
  );
}

/** Pods by their nodes, those that are on one first, and then the oldest. Those that have ended and are on their way out do not count. */
export function podsByNode(pods: readonly LivePod[]): ReadonlyMap<string, readonly LivePod[]> {
  const byNode = new Map<string, LivePod[]>();
  for (const pod of [...pods].sort(byAge)) {
    const node = nodeOf(pod);
    const hasEnded = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
    if (node === undefined || (hasEnded && isTerminating(pod))) continue;
    byNode.set(node, [...(byNode.get(node) ?? []), pod]);
  }
  return byNode;
}

function byAge(left: LivePod, right: LivePod): number {
  const waits = ({ spec }: LivePod): number => ((spec?.nodeName ?? '') === '' ? 1 : 0);
  return (
    waits(left) - waits(right) ||
    left.metadata.creationTimestamp.localeCompare(right.metadata.creationTimestamp) ||
    left.metadata.name.localeCompare(right.metadata.name)
  );
}
