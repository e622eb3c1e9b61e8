import type { MonitoredStatefulSet } from '@ordinal/api';
import type { Pod, StatefulSet } from '@ordinal/client';
import { controllerOf, statefulSets } from '@ordinal/client';
import { ordinalIn } from '@ordinal/lifecycle';
import type { SeenMembers } from '../upgrade/kept-replicas.ts';
import type { Upgradable } from '../upgrade/upgradable.ts';
import type { MonitoredSetObservation } from './observation.ts';
import { unmetBy } from './selector.ts';
import { whatRan } from './template.ts';

/** How commands name a set. */
export const setNaming = { resource: 'mss' } as const;

/** Whether a pod bears the labels by which the StatefulSet selects its members. */
export const isSelected = ({ metadata }: Pod, { spec }: Pick<MonitoredStatefulSet, 'spec'>): boolean =>
  unmetBy(metadata.labels ?? {}, spec.statefulSetSpec.selector) === undefined;

/** The pods among these that a StatefulSet of the set's name controls, controlled, or would take up. */
export const podsOf = (set: MonitoredStatefulSet, present: readonly Pod[]): readonly Pod[] =>
  present
    .filter((pod) => {
      if (ordinalIn(pod.metadata.name, set.metadata.name) === undefined) return false;
      const controller = controllerOf(pod);
      return controller
        ? controller.kind === statefulSets.kind && controller.name === set.metadata.name
        : isSelected(pod, set);
    })
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

/** How many members the spec asks for. */
export const replicasOf = ({ spec }: MonitoredStatefulSet): number => spec.statefulSetSpec.replicas ?? 1;

/** A set as an object that is upgraded. What all members run counts as what has run, where nothing is on record: `spec.upgrade` may come to a set that runs. */
function upgradableOf(
  set: MonitoredStatefulSet,
  statefulSet: StatefulSet | undefined,
  pods: readonly Pod[],
): Upgradable {
  const { status } = set;
  if (status?.currentRevision !== undefined) return set;
  return { ...set, status: { ...status, ...whatRan(statefulSet, pods) } };
}

/** The members of a set, as far as their number is concerned. A pod without a controller that the StatefulSet would take up was one. */
export const membersOf = ({ set, statefulSet, pods, ...rest }: MonitoredSetObservation): SeenMembers => ({
  ...{ object: upgradableOf(set, statefulSet, pods), wantedReplicas: replicasOf(set), set: statefulSet, pods },
  ...{ isConfirmed: rest.isConfirmed, isSizeSeen: rest.isSizeSeen },
  wasMember: () => true,
});
