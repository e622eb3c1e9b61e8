import type { KubernetesObject, Instant, Pod, StatefulSet } from '@ordinal/client';
import { pods, statefulSets, controllerOf, instantOf } from '@ordinal/client';
import type { Action } from '@ordinal/lifecycle';
import { cleanUpStep, forcePod, waitUntilGone, identityOf } from '@ordinal/lifecycle';
import type { DeletionStep } from './deletion-step.ts';
import { isKept } from './ahead-members.ts';
import type { Observation } from './observation.ts';

/**
 * The pods that may still write to the volumes: those of the cluster's StatefulSet, of an earlier one of its name, those that the cluster controls itself, and those of none, where they hold a claim of
 * this cluster. Labels and names alone prove nothing: others may have given the same to a pod of theirs (I13).
 */
export function memberPods({ cluster, pods: labelled, claims }: Observation): readonly Pod[] {
  const { name } = cluster.metadata;
  const ours = new Set(claims.map((claim) => claim.metadata.name));
  return labelled.filter((pod) => {
    const controller = controllerOf(pod);
    if (isKept(pod, cluster)) return true;
    if (controller) return controller.kind === statefulSets.kind && controller.name === name;
    return pod.spec.volumes?.some((volume) => ours.has(volume.persistentVolumeClaim?.claimName ?? '')) ?? false;
  });
}

/** The names of objects, for a sentence: sorted, since a cache shows them in any order, and another sentence would be another write. */
export const namesOf = (present: readonly KubernetesObject[]): string =>
  present
    .map(({ metadata }) => metadata.name)
    .sort()
    .join(', ');

/** No StatefulSet takes it down any more. */
const isLeftToUs = (pod: Pod, cluster: Observation['cluster']): boolean =>
  controllerOf(pod) === undefined || isKept(pod, cluster);

/** Members that lost their StatefulSet without being deleted with it (`--cascade=orphan`): no controller takes them down any more. */
function takeOrphans(members: readonly Pod[], cluster: Observation['cluster']): readonly Action[] {
  return members
    .filter((pod) => pod.metadata.deletionTimestamp === undefined && isLeftToUs(pod, cluster))
    .map((pod) => ({
      kind: 'delete',
      descriptor: pods,
      target: identityOf(pod),
      because: 'the cluster is being deleted, and its StatefulSet went without it',
    }));
}

/** The marks by which the garbage collector keeps an object until it is done with what that owns. */
const marks: readonly string[] = ['foregroundDeletion', 'orphan'];

const foreign = ({ metadata }: StatefulSet): readonly string[] =>
  metadata.finalizers?.filter((finalizer) => !marks.includes(finalizer)) ?? [];

/** It waits for another client and not for members, which may take longer than it: its members stay until it has gone, or there are none. */
const isHeld = (statefulSet: StatefulSet, members: readonly Pod[]): boolean =>
  foreign(statefulSet).length > 0 || members.every(({ metadata }) => metadata.deletionTimestamp === undefined);

const collector = 'check that kube-controller-manager runs, which the garbage collector is a part of; by hand:';

function releaseOf(statefulSet: StatefulSet): string {
  const { namespace = '', name, finalizers = [] } = statefulSet.metadata;
  const others = foreign(statefulSet);
  if (others.length === 0) return collector;
  const fields = JSON.stringify({ metadata: { finalizers: finalizers.filter((one) => !others.includes(one)) } });
  const command = `kubectl patch -n ${namespace} statefulset ${name} --type merge -p '${fields}'`;
  return `the finalizers ${others.join(', ')} hold the StatefulSet; where their controllers do not remove them: ${command}`;
}

/** Since when nothing keeps the members any more: since the deletion, or since the last of its Jobs has ended. */
function unkeptSince({ metadata, status }: Observation['cluster'], now: Instant): Instant {
  const ends = status?.hooks?.flatMap(({ finishedAt }) => instantOf(finishedAt) ?? []) ?? [];
  return Math.max(instantOf(metadata.deletionTimestamp) ?? now, ...ends);
}

const isBeingDeleted = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/** Who has to be gone. */
export interface Leaving {
  readonly cluster: Observation['cluster'];
  readonly members: readonly Pod[];
  readonly statefulSet?: StatefulSet | undefined;
}

/** Waits until members, and their StatefulSet, are gone that go by themselves, and takes down those that would stay. */
export function awaitGone(
  waiting: DeletionStep,
  { cluster, members, statefulSet }: Leaving,
  now: Instant,
): DeletionStep {
  const held = statefulSet && isHeld(statefulSet, members) ? [statefulSet] : [];
  // Those without a controller are deleted right now.
  const awaited = members.filter((pod) => isBeingDeleted(pod) || !isLeftToUs(pod, cluster));
  return waitUntilGone({ ...waiting, actions: takeOrphans(members, cluster) }, [...awaited, ...held], {
    now,
    // Where the StatefulSet is still there, it is what is awaited.
    ...(statefulSet === undefined && { since: unkeptSince(cluster, now) }),
    command: (metadata) => {
      const { namespace = '', name, uid, deletionTimestamp } = metadata;
      if (statefulSet?.metadata.uid === uid) return releaseOf(statefulSet);
      return deletionTimestamp === undefined
        ? `its StatefulSet is gone, and no controller deletes it; ${collector} kubectl delete pod -n ${namespace} ${name}`
        : forcePod(metadata);
    },
  });
}

/** The StatefulSet goes, and with it the members, or one after the other where it has gone without them. Undefined when none is left. */
export function stopMembers(seen: Observation, now: Instant): DeletionStep | undefined {
  const { statefulSet } = seen;
  const left = memberPods(seen);
  if (statefulSet === undefined && left.length === 0) return undefined;
  const message = `waiting until the members are gone: ${left.length > 0 ? namesOf(left) : 'the StatefulSet is'}`;
  if (statefulSet === undefined || statefulSet.metadata.deletionTimestamp !== undefined)
    return awaitGone(
      cleanUpStep('StoppingMembers', message),
      { cluster: seen.cluster, members: left, statefulSet },
      now,
    );
  return cleanUpStep('StoppingMembers', message, {
    actions: [
      {
        kind: 'delete',
        descriptor: statefulSets,
        target: identityOf(statefulSet),
        because: 'the cluster is being deleted',
      },
    ],
  });
}
