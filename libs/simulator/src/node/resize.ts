import { sameJson } from '@ordinal/client';
import type { Container, Node, Pod } from 'kubernetes-types/core/v1.js';
import { kinds } from '../controllers/kinds.ts';
import type { LivePod } from '../controllers/kinds.ts';
import { hasEnded } from '../controllers/scheduling/occupants.ts';
import { shortages } from '../controllers/scheduling/room.ts';
import type { NodeEnvironment } from './node-environment.ts';

/** Why a pod does not get the resources that it asks for now. */
export interface PendingResize {
  readonly reason: 'Infeasible' | 'Deferred';
  readonly message: string;
}

/** Whether a node can give a pod what it asks for since it was changed; undefined where it can. */
export function pendingResize(pod: LivePod, { name, store }: NodeEnvironment): PendingResize | undefined {
  const node = store.find<Node>(kinds.node, '', name);
  if (node === undefined) return undefined;
  const named = (reasons: readonly string[]): string =>
    reasons.map((reason) => reason.replace('Insufficient ', '')).join(', ');
  const never = shortages(pod, node, []);
  if (never.length > 0) return { reason: 'Infeasible', message: `Node didn't have enough capacity: ${named(never)}` };
  const others = store
    .list<Pod>(kinds.pod)
    .filter((other) => other.spec?.nodeName === name && other.metadata.uid !== pod.metadata.uid && !hasEnded(other));
  const now = shortages(pod, node, others);
  return now.length === 0
    ? undefined
    : { reason: 'Deferred', message: `Node didn't have enough resource: ${named(now)}` };
}

/** Whether a container has to be started again because its resources are others now, as its policy says. */
export function restartsOnResize(before: Container, now: Container): boolean {
  const { resizePolicy = [] } = now as {
    readonly resizePolicy?: readonly { resourceName: string; restartPolicy: string }[];
  };
  return resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === 'RestartContainer' &&
      (['requests', 'limits'] as const).some(
        (side) => before.resources?.[side]?.[resourceName] !== now.resources?.[side]?.[resourceName],
      ),
  );
}

/** The pod's containers with the resources that they had before. */
export const withFormerResources = (
  containers: readonly Container[],
  before: readonly Container[],
): readonly Container[] =>
  containers.map((container) => {
    const former = before.find(({ name }) => name === container.name);
    return former === undefined || sameJson(former.resources ?? {}, container.resources ?? {})
      ? container
      : { ...container, ...(former.resources && { resources: former.resources }) };
  });
