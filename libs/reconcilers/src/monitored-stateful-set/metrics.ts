import { conditionOf } from '@ordinal/client';
import type { MonitoredStatefulSet } from '@ordinal/api';
import type { GaugeSample, Gauges } from '@ordinal/lifecycle';
import { samplesOf } from '@ordinal/lifecycle';
import { isPaused } from '../annotations.ts';

/** The gauges of this kind: their names, what they say, and their labels beside the resource's. The operator serves exactly these. */
export const monitoredStatefulSetGauges = {
  ordinal_monitoredstatefulset_processing_error: {
    help: '1 while the workload, its registration or its clean-up is not as it should be (Degraded).',
  },
  ordinal_monitoredstatefulset_monitor_registered: {
    help: '1 while the set is registered with the monitor of its spec; not of one that is paused or being deleted.',
  },
} as const satisfies Gauges;

/** What the state of sets says, as gauges: computed from the objects when metrics are read, so that no gauge outlives its object. */
export function monitoredStatefulSetMetrics(sets: readonly MonitoredStatefulSet[]): GaugeSample[] {
  return sets.flatMap((set) => {
    const { metadata, status } = set;
    const is = (type: string): boolean => conditionOf(status?.conditions, type)?.status === 'True';
    const isAsked = metadata.deletionTimestamp === undefined && !isPaused(set);
    return samplesOf<keyof typeof monitoredStatefulSetGauges>(set, [
      ['ordinal_monitoredstatefulset_processing_error', is('Degraded')],
      ['ordinal_monitoredstatefulset_monitor_registered', isAsked ? is('MonitorRegistered') : undefined],
    ]);
  });
}
