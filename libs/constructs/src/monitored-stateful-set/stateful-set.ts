import type { MonitoredStatefulSetSpecInput } from '@ordinal/api';
import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import { childMetadata, managedBy } from '../workload/index.ts';
import type { Owner } from '../workload/index.ts';

/** A MonitoredStatefulSet to build children for. */
export interface MonitoredSetToBuild {
  readonly name: string;
  readonly namespace?: string;
  readonly spec: Pick<MonitoredStatefulSetSpecInput, 'statefulSetSpec' | 'cleanupJob'>;
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

/** The StatefulSet: the embedded spec, whole and unchanged. */
export function monitoredStatefulSet(
  { name, namespace, spec, owner }: MonitoredSetToBuild,
  annotations: Readonly<Record<string, string>> = {},
): StatefulSet {
  const place = namespace === undefined ? {} : { namespace };
  const metadata = childMetadata({ name, labels: monitoredSetLabels(name), ...place, ...(owner ? { owner } : {}) });
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { ...metadata, ...(Object.keys(annotations).length > 0 ? { annotations: { ...annotations } } : {}) },
    // The embedded schema is the published one; only its lists are read-only here.
    spec: spec.statefulSetSpec as StatefulSet['spec'] & object,
  };
}
