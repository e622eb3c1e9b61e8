import type { Node, NodeSelectorTerm, PodSpec, Taint } from 'kubernetes-types/core/v1.js';
import type { Live } from '../kinds.ts';
import { matchesSelector } from '../selector.ts';
import { tolerates } from '../taints.ts';

type LiveNode = Live<Node>;

/** A node's taints, and those that its state stands for. */
export function taintsOf({ spec, status }: LiveNode): readonly Taint[] {
  const taints = [...(spec?.taints ?? [])];
  if (spec?.unschedulable === true) taints.push({ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' });
  const isReady = status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True');
  if (isReady !== true) taints.push({ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' });
  return taints;
}

/** Whether a pod tolerates those of a node's taints that have one of these effects. */
export const toleratesNode = (
  pod: PodSpec | undefined,
  node: LiveNode,
  effects: readonly string[] = ['NoSchedule', 'NoExecute'],
): boolean =>
  taintsOf(node)
    .filter(({ effect }) => effects.includes(effect))
    .every((taint) => (pod?.tolerations ?? []).some((toleration) => tolerates(toleration, taint)));

/** Whether a pod's node selector and required node affinity allow a node. */
export function affinityAllows(pod: PodSpec | undefined, node: LiveNode): boolean {
  const labels = node.metadata.labels ?? {};
  const selector = Object.entries(pod?.nodeSelector ?? {});
  if (!selector.every(([key, value]) => labels[key] === value)) return false;
  const terms = pod?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => termAllows(term, node));
}

/** A term without any requirement allows no node. */
function termAllows({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, { metadata }: LiveNode): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchesSelector({ matchExpressions }, metadata.labels) &&
    matchesSelector({ matchExpressions: matchFields }, { 'metadata.name': metadata.name })
  );
}
