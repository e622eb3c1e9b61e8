import type { MonitoredStatefulSet, MonitoredStatefulSetStatus } from '@ordinal/api';
import { monitoredStatefulSets } from '@ordinal/api';
import { hasFinalizer } from '@ordinal/runtime';
import type { Memory } from '@ordinal/lifecycle';
import { announced } from '@ordinal/lifecycle';
import { monitoredSetFinalizer } from './children.ts';

/**
 * What is remembered of a set: where it may be registered, with which credentials, and how its clean-up Job ended. Where that is not known, the monitor of the spec may hold an
 * entry: the operator looks for it there by the set's UID, before one is made or the set goes.
 *
 * **Caveats.** An entry at a former monitor is not known any more, and stays there.
 */
export const monitoredSetMemory: Memory<MonitoredStatefulSet> = {
  descriptor: monitoredStatefulSets,
  finalizer: monitoredSetFinalizer,
  makesJobs: true,
  forget(set, { now }): MonitoredStatefulSetStatus {
    const { metadata, spec } = set;
    if (!hasFinalizer(set, monitoredSetFinalizer)) return {};
    return { registrations: [{ endpoint: spec.monitorEndpoint, ...announced(metadata.uid, 1, now) }] };
  },
};
