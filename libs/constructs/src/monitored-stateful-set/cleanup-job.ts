import type { Job } from 'kubernetes-types/batch/v1.js';
import { childMetadata } from '../workload/index.ts';
import { monitoredSetLabels } from './stateful-set.ts';
import type { MonitoredSetToBuild } from './stateful-set.ts';

/** The label with the UID of the object that a clean-up Job is for. */
export const cleanupForLabel = 'statefulsets.example.com/cleanup-for';

/** The environment of a clean-up Job. */
export interface CleanupSubject {
  readonly uid: string;
  readonly endpoint: string;
  /** Empty where no registration is known. */
  readonly monitorId: string;
}

/**
 * The Job that does a MonitoredStatefulSet's long clean-up. It has no owner reference on purpose: a foreground deletion would have the garbage collector
 * delete it together with the other children, before it has done its work. It is found by the label with the owner's UID.
 *
 * @throws TypeError when the spec has no `cleanupJob`; the API server accepts none with `cleanup: Job`.
 */
export function cleanupJob(set: MonitoredSetToBuild, subject: CleanupSubject): Job {
  const wanted = set.spec.cleanupJob;
  if (wanted === undefined) throw new TypeError('spec.cleanupJob says what to run');
  const { image, command, args, serviceAccountName, activeDeadlineSeconds = 3_600 } = wanted;
  const env = Object.entries({
    MONITOR_ENDPOINT: subject.endpoint,
    MONITOR_ID: subject.monitorId,
    SERVICE_NAME: set.name,
    SERVICE_NAMESPACE: set.namespace ?? '',
  }).map(([name, value]) => ({ name, value }));
  const container = {
    name: 'cleanup',
    image,
    env,
    ...(command ? { command: [...command] } : {}),
    ...(args ? { args: [...args] } : {}),
  };
  const name = `${set.name.slice(0, 40).replace(/[-.]+$/, '')}-cleanup-${subject.uid.slice(0, 8)}`;
  const labels = { ...monitoredSetLabels(set.name), [cleanupForLabel]: subject.uid };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: childMetadata({ name, labels, ...(set.namespace === undefined ? {} : { namespace: set.namespace }) }),
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds,
      ttlSecondsAfterFinished: 86_400,
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: 'Never',
          containers: [container],
          ...(serviceAccountName ? { serviceAccountName } : {}),
        },
      },
    },
  };
}
