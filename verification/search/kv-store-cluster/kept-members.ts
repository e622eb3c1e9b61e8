import { kvStoreClusters } from '@ordinal/api';
import { controllerOf, statefulSets } from '@ordinal/client';
import type { KubernetesObject, Pod } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';

/** Whether its cluster itself controls a member. */
export const isKept = (pod: KubernetesObject | undefined): boolean =>
  pod !== undefined && controllerOf(pod)?.kind === kvStoreClusters.kind;

/** A member that its cluster controls while the StatefulSet is made again goes back to one that has room for it, and whose controller knows that: it would be taken down. */
export const keptMembersGetTheirPlace: Invariant = {
  name: 'a member that its cluster controls is given to a StatefulSet that has room for it',
  afterChange: (cluster, { kind, type, object, previous }) => {
    if (kind !== 'pods' || type !== 'MODIFIED' || !isKept(previous) || isKept(object)) return undefined;
    const { name, namespace = '', deletionTimestamp } = (object as Pod).metadata; // Of this kind.
    const [, owner = '', ordinal = ''] = /^(.+)-(\d+)$/.exec(name) ?? [];
    const store = cluster.objects.find(kvStoreClusters, namespace, owner);
    if (deletionTimestamp !== undefined || !store || store.metadata.deletionTimestamp !== undefined) return undefined;
    const set = cluster.objects.find(statefulSets, namespace, owner);
    if (!set) return `${name} has no controller, and there is no StatefulSet`;
    if ((set.spec.replicas ?? 1) <= Number(ordinal)) return `${name} was given to a StatefulSet without room for it`;
    return set.status?.observedGeneration === set.metadata.generation
      ? undefined
      : `${name} was given to a StatefulSet whose controller has not looked at its size`;
  },
};
