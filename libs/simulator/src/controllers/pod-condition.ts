import { timestamp } from '@ordinal/client';
import type { Instant } from '@ordinal/client';
import type { PodCondition, PodStatus } from 'kubernetes-types/core/v1.js';
import type { LivePod } from './kinds.ts';

/** A pod, stored or only planned. */
export interface PodState {
  readonly status?: PodStatus;
}

/** A pod's condition of a type. */
function podCondition(pod: PodState, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

/** The pod's status where something that is no user of it ends it: why, as its condition `DisruptionTarget` says. */
export function disruptedStatus(
  pod: LivePod,
  [reason, message]: readonly [reason: string, message: string],
  now: Instant,
): PodStatus {
  const condition: PodCondition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason,
    message,
    lastTransitionTime: timestamp(now),
    ...generationOf(pod),
  };
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== condition.type);
  return { ...pod.status, conditions: [...others, condition] };
}

const generationOf = ({ metadata }: LivePod): { readonly observedGeneration?: number } =>
  metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };

/** Whether something ends the pod that is no user of it. */
export const isDisrupted = (pod: PodState): boolean => podCondition(pod, 'DisruptionTarget')?.status === 'True';

/** Whether the pod's condition `Ready` is true, whatever its phase. */
export function isPodReady(pod: PodState): boolean {
  return podCondition(pod, 'Ready')?.status === 'True';
}

/** Whether the pod runs and is ready. */
export function isRunningAndReady(pod: PodState): boolean {
  return pod.status?.phase === 'Running' && isPodReady(pod);
}

/** Whether the pod is ready and has been for `minReadySeconds`. */
export function isPodAvailable(pod: PodState, minReadySeconds: number, now: Instant): boolean {
  const ready = podCondition(pod, 'Ready');
  if (ready?.status !== 'True') return false;
  if (minReadySeconds === 0) return true;
  return ready.lastTransitionTime !== undefined && Date.parse(ready.lastTransitionTime) + minReadySeconds * 1000 <= now;
}

/** How many milliseconds until the next of the ready pods counts as available; undefined where none is waiting. */
export function nextAvailabilityMs(
  pods: readonly PodState[],
  minReadySeconds: number,
  now: Instant,
): number | undefined {
  const waits = pods
    .filter((pod) => isPodReady(pod) && !isPodAvailable(pod, minReadySeconds, now))
    .map((pod) => Date.parse(podCondition(pod, 'Ready')?.lastTransitionTime ?? '') + minReadySeconds * 1000 - now)
    .filter((wait) => Number.isFinite(wait));
  return waits.length === 0 ? undefined : Math.max(0, Math.min(...waits));
}
