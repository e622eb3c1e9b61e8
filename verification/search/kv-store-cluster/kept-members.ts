import { kvStoreClusters } from '@ordinal/api';
import { controllerOf, statefulSets } from '@ordinal/client';
import type { Instant, KubernetesObject, Pod } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { Memories, onItsWayMs } from '../../../libs/reconcilers/test/world/restored.ts';

/** Whether its cluster itself controls a member. */
export const isKept = (pod: KubernetesObject | undefined): boolean =>
  pod !== undefined && controllerOf(pod)?.kind === kvStoreClusters.kind;

/** When the last StatefulSet of a namespace and name went. */
const wentAt = new Memories(() => new Map<string, Instant>());

interface Named {
  readonly namespace?: string | undefined;
  readonly name: string;
}

const keyOf = ({ namespace = '', name }: Named): string => `${namespace}/${name}`;

const wentJustNow = (cluster: TestCluster, set: Named): boolean =>
  cluster.clock.now() - (wentAt.of(cluster).get(keyOf(set)) ?? -Infinity) <= onItsWayMs;

/**
 * A member that its cluster controls while the StatefulSet is made again goes back to one that has room for it, and whose controller knows that: it would be taken down. One that was on
 * its way when another client deleted the StatefulSet has none: no precondition of a patch names two objects.
 */
export const keptMembersGetTheirPlace: Invariant = {
  name: 'a member that its cluster controls is given to a StatefulSet that has room for it',
  afterChange: (cluster, { kind, type, object, previous }) => {
    if (kind === 'statefulsets.apps' && type === 'DELETED')
      wentAt.of(cluster).set(keyOf(object.metadata), cluster.clock.now());
    if (kind !== 'pods' || type !== 'MODIFIED' || !isKept(previous) || isKept(object)) return undefined;
    const { name, namespace = '', deletionTimestamp } = (object as Pod).metadata; // Of this kind.
    const [, owner = '', ordinal = ''] = /^(.+)-(\d+)$/.exec(name) ?? [];
    const store = cluster.objects.find(kvStoreClusters, namespace, owner);
    if (deletionTimestamp !== undefined || !store || store.metadata.deletionTimestamp !== undefined) return undefined;
    const set = cluster.objects.find(statefulSets, namespace, owner);
    if (!set)
      return wentJustNow(cluster, { namespace, name: owner })
        ? undefined
        : `${name} has no controller, and there is no StatefulSet`;
    if ((set.spec.replicas ?? 1) <= Number(ordinal)) return `${name} was given to a StatefulSet without room for it`;
    return set.status?.observedGeneration === set.metadata.generation
      ? undefined
      : `${name} was given to a StatefulSet whose controller has not looked at its size`;
  },
};
