import type { MonitoredStatefulSet } from '@ordinal/api';
import type { GaugeSample } from '../clustered-cache/index.ts';
import { conditionOf } from '../decision/index.ts';

const help = {
  ordinal_monitoredstatefulset_processing_error:
    '1 while nothing can be done for the set, or its clean-up fails (Degraded).',
} as const;

/** What the state of sets says, as gauges: computed from the objects when metrics are read, so that no gauge outlives its object. */
export function monitoredStatefulSetMetrics(sets: readonly MonitoredStatefulSet[]): GaugeSample[] {
  const name = 'ordinal_monitoredstatefulset_processing_error';
  return sets.map(({ metadata, status }) => ({
    name,
    help: help[name],
    labels: { namespace: metadata.namespace ?? '', name: metadata.name },
    value: conditionOf(status?.conditions, 'Degraded')?.status === 'True' ? 1 : 0,
  }));
}
