import type { Instant } from '@ordinal/client';
import { conditionOf } from '@ordinal/client';
import type { MonitoredStatefulSet } from '@ordinal/api';
import type { GaugeSample, Gauges } from '@ordinal/lifecycle';
import { samplesOf } from '@ordinal/lifecycle';
import { isPaused } from '../annotations.ts';
import { upgradeStateOf } from '../upgrade/metrics.ts';
import { upgradeGauges, upgradeSamples } from '../upgrade-gauges.ts';

const kind = 'monitoredstatefulset';

/** The gauges of this kind: their names, what they say, and their labels beside the resource's. The operator serves exactly these. */
export const monitoredStatefulSetGauges = {
  ...upgradeGauges(kind),
  ordinal_monitoredstatefulset_processing_error: {
    help: '1 while the workload, its registration or its clean-up is not as it should be (Degraded).',
  },
  ordinal_monitoredstatefulset_monitor_registered: {
    help: '1 while the set is registered with the monitor of its spec; not of one that is paused or being deleted.',
  },
  ordinal_monitoredstatefulset_gate_bypassed: {
    help: '1 after a member was taken down past its gate, until the next upgrade.',
  },
} as const satisfies Gauges;

/** What the state of sets says, as gauges: computed from the objects when metrics are read, so that no gauge outlives its object. */
export function monitoredStatefulSetMetrics(sets: readonly MonitoredStatefulSet[], now: Instant): GaugeSample[] {
  return sets.flatMap((set) => {
    const { metadata, status } = set;
    const is = (type: string): boolean => conditionOf(status?.conditions, type)?.status === 'True';
    const isAsked = metadata.deletionTimestamp === undefined && !isPaused(set);
    const own = samplesOf<keyof typeof monitoredStatefulSetGauges>(set, [
      ['ordinal_monitoredstatefulset_processing_error', is('Degraded')],
      ['ordinal_monitoredstatefulset_monitor_registered', isAsked ? is('MonitorRegistered') : undefined],
      ['ordinal_monitoredstatefulset_gate_bypassed', set.spec.upgrade ? is('GateBypassed') : undefined],
    ]);
    return [...own, ...upgradesOf(set, now)];
  });
}

/** What there is to say of the upgrade of a set whose pods the operator replaces. Its own gauge says what is wrong with it. */
const upgradesOf = (set: MonitoredStatefulSet, now: Instant): readonly GaugeSample[] =>
  set.spec.upgrade
    ? upgradeSamples(upgradeStateOf(set, kind), now).filter(({ name }) => !name.endsWith('_processing_error'))
    : [];
