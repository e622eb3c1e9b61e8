import type { LivePod } from '../kinds.ts';
import { isTerminating } from '../owner.ts';

/** The finalizer of a Job's pod that is not counted yet. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';

/** Whether the pod is not counted yet. */
export const isTracked = ({ metadata }: LivePod): boolean => metadata.finalizers?.includes(trackingFinalizer) === true;

/** Whether the pod has run to its end. */
export const hasEnded = ({ status }: LivePod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Whether the pod has failed, or was deleted before it ever ran to its end, which is never reported. */
export const hasFailed = (pod: LivePod): boolean =>
  pod.status?.phase === 'Failed' ||
  (!hasEnded(pod) && isTerminating(pod) && pod.metadata.deletionGracePeriodSeconds === 0);

/** When the pod ended, in milliseconds. */
export function endOf({ status, metadata }: LivePod): number {
  const ends = (status?.containerStatuses ?? []).map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''));
  const known = ends.filter((end) => Number.isFinite(end));
  return known.length > 0 ? Math.max(...known) : Date.parse(metadata.deletionTimestamp ?? metadata.creationTimestamp);
}
