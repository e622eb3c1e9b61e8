import type { MonitoredStatefulSet, MonitoredStatefulSetStatus } from '@ordinal/api';
import { monitoredStatefulSets } from '@ordinal/api';
import { pods, statefulSets } from '@ordinal/client';
import { hasFinalizer } from '@ordinal/runtime';
import type { Memory } from '@ordinal/lifecycle';
import { announced } from '@ordinal/lifecycle';
import { isForeign, monitoredSetFinalizer } from './children.ts';
import { podsOf, replicasOf } from './members.ts';
import { whatRan } from './template.ts';

/**
 * What is remembered of a set: where it may be registered, with which credentials, and how its clean-up Job ended; with `spec.upgrade`, what all members ran and what has failed. Where
 * that is not known, the monitor of the spec may hold an entry: the operator looks for it there by the set's UID, before one is made or the set goes. The StatefulSet says what ran, and every member has to say that it
 * has caught up before another one goes. A member may be on its way down: until the next decision no drain takes another one.
 *
 * **Caveats.** An entry at a former monitor is not known any more, and stays there.
 */
export const monitoredSetMemory: Memory<MonitoredStatefulSet> = {
  descriptor: monitoredStatefulSets,
  finalizer: monitoredSetFinalizer,
  makesJobs: true,
  forget(set, { now, cache }): MonitoredStatefulSetStatus {
    const { metadata, spec } = set;
    if (!hasFinalizer(set, monitoredSetFinalizer)) return {};
    const { name, namespace = '' } = metadata;
    const statefulSet = cache.get(statefulSets, { namespace, name });
    const isUpgraded = spec.upgrade !== undefined && !isForeign(statefulSet, set);
    const present = isUpgraded ? podsOf(set, cache.list(pods, { namespace })) : [];
    const ran = isUpgraded ? whatRan(statefulSet, present) : undefined;
    // Who has deleted those that end is not known any more.
    const ending = present.map((pod) => ({ pod: pod.metadata.name, podUID: pod.metadata.uid }));
    const catchingUp = Array.from({ length: replicasOf(set) }, (_, ordinal) => ({ ordinal }));
    return {
      registrations: [{ endpoint: spec.monitorEndpoint, ...announced(metadata.uid, 1, now) }],
      ...ran,
      ...(isUpgraded ? { step: 'TakingDown', ending } : {}),
      ...(ran && spec.upgrade?.sync ? { catchingUp } : {}),
    };
  },
};
