import type { LivePod } from '../kinds.ts';
import { matchesSelector } from '../selector.ts';

/** Whether two pods must not share a node, by the anti-affinity of either. */
export function repels(left: LivePod, right: LivePod): boolean {
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
