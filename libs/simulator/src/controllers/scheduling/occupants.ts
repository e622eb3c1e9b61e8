import type { Pod } from 'kubernetes-types/core/v1.js';
import type { LivePod } from '../kinds.ts';

/** A pod's priority. */
export const priorityOf = ({ spec }: LivePod): number => spec?.priority ?? 0;

/** The pods that a pod finds on each node: those that are bound to it and have not ended, and those that others had to make room for there. */
export function occupantsFor(pod: LivePod, pods: readonly LivePod[]): (node: string) => readonly LivePod[] {
  const byNode = new Map<string, LivePod[]>();
  for (const other of pods) {
    const node = placeOf(other, pod);
    if (node === '') continue;
    const known = byNode.get(node);
    if (known === undefined) byNode.set(node, [other]);
    else known.push(other);
  }
  return (node) => byNode.get(node) ?? [];
}

function placeOf(other: LivePod, pod: LivePod): string {
  const { spec, status, metadata } = other;
  if (hasEnded(other)) return '';
  const bound = spec?.nodeName ?? '';
  if (bound !== '' || metadata.uid === pod.metadata.uid || priorityOf(other) < priorityOf(pod)) return bound;
  return status?.nominatedNodeName ?? '';
}

/** Whether the pod takes no room any more. */
export const hasEnded = ({ status }: Pick<Pod, 'status'>): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';
