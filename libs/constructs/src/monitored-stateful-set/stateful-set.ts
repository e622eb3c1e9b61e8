import type { MonitoredStatefulSetSpecInput } from '@ordinal/api';
import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import { childMetadata, managedBy } from '../workload/index.ts';
import type { ChildMetadata, Owner } from '../workload/index.ts';

/** A MonitoredStatefulSet to build children for. */
export interface MonitoredSetToBuild {
  readonly name: string;
  readonly namespace?: string;
  readonly spec: Pick<MonitoredStatefulSetSpecInput, 'statefulSetSpec' | 'cleanupJob' | 'adopt'>;
  readonly owner?: Owner;
}

/** The labels of every child. Pods keep the labels that the embedded spec gives them, and no others. */
export function monitoredSetLabels(name: string): Record<string, string> {
  return {
    'app.kubernetes.io/name': 'monitored-stateful-set',
    'app.kubernetes.io/instance': name,
    'app.kubernetes.io/managed-by': managedBy,
  };
}

/** The metadata of a set's children, but for their names. */
export const monitoredSetChild = ({ name, namespace, owner }: MonitoredSetToBuild): Omit<ChildMetadata, 'name'> => ({
  labels: monitoredSetLabels(name),
  ...(namespace === undefined ? {} : { namespace }),
  ...(owner ? { owner } : {}),
});

/** The StatefulSet: the embedded spec, whole and unchanged. One that was taken over keeps the labels that its maker gave it. */
export function monitoredStatefulSet(
  set: MonitoredSetToBuild,
  annotations: Readonly<Record<string, string>> = {},
): StatefulSet {
  const { labels, ...metadata } = childMetadata({ ...monitoredSetChild(set), name: set.name });
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      ...metadata,
      ...(set.spec.adopt ? {} : { labels }),
      ...(Object.keys(annotations).length > 0 ? { annotations: { ...annotations } } : {}),
    },
    // The embedded schema is the published one; only its lists are read-only here.
    spec: set.spec.statefulSetSpec as StatefulSet['spec'] & object,
  };
}
