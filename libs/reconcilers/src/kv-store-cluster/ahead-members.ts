import type { Pod } from '@ordinal/client';
import { controllerOf, controllerReference, pods, statefulSets } from '@ordinal/client';
import { sealAnnotation } from '@ordinal/constructs';
import type { Action } from '@ordinal/lifecycle';
import { heldReplicasOf, ordinalIn, seenOf } from '@ordinal/lifecycle';
import { claimName } from './observation.ts';
import type { Observation } from './observation.ts';

/*
 * Every pod that a new StatefulSet makes is of its first template, whatever its partition says: a member that has gone ahead would start as an older version than its volume has seen (I30). So the
 * StatefulSet is made again with room for the members that are behind only. Those that are ahead are controlled by the cluster meanwhile, or the StatefulSet's controller would take them up, and down.
 */

const ordinalOf = ({ metadata }: Pod, setName: string): number => ordinalIn(metadata.name, setName) ?? -1;

/** Whether the cluster itself controls a member, while its StatefulSet is made again. Of what a user gives that owner, only what has a member's name is one. */
export const isKept = (pod: Pod, { metadata: { name, uid } }: Observation['cluster']): boolean =>
  controllerOf(pod)?.uid === uid && ordinalOf(pod, name) >= 0;

/** The pods from this ordinal on that do not end and that no StatefulSet controls which is there. */
function leftFrom({ cluster, pods: labelled, statefulSet }: Observation, ordinal: number): readonly Pod[] {
  const { name } = cluster.metadata;
  return labelled.filter((pod) => {
    const controller = controllerOf(pod);
    const isLeft = controller === undefined || (controller.kind === statefulSets.kind && controller.name === name);
    const isOfSet = controller !== undefined && controller.uid === statefulSet?.metadata.uid;
    return isLeft && !isOfSet && pod.metadata.deletionTimestamp === undefined && ordinalOf(pod, name) >= ordinal;
  });
}

/** How many members a StatefulSet that is made again has room for, where those from this ordinal on have gone ahead: for them none, unless it has taken them up already. */
export function roomFor({ cluster, pods: labelled, statefulSet }: Observation, ahead: number): number {
  const taken = statefulSet ? labelled.filter((pod) => controllerOf(pod)?.uid === statefulSet.metadata.uid) : [];
  return Math.max(ahead, ...taken.map((pod) => ordinalOf(pod, cluster.metadata.name) + 1));
}

/** What is sealed in a pod when the cluster takes control of it. Of another pod it is another. */
const sealedMember = ({ metadata }: Pod) => ({ purpose: 'member', item: { uid: metadata.uid } }) as const;

/** Whether a pod holds the claim of its own ordinal, which is the cluster's. Its labels and its name alone any client may have given it (I13). */
function hasOwnClaim(pod: Pod, { cluster, claims }: Observation): boolean {
  const own = claimName(cluster, ordinalOf(pod, cluster.metadata.name));
  return (
    claims.some(({ metadata }) => metadata.name === own) &&
    (pod.spec.volumes ?? []).some(({ persistentVolumeClaim: mounted }) => mounted?.claimName === own)
  );
}

/** Whether the operator itself has given a pod to the cluster: who may make pods may name any owner. */
const isKeptByUs = (pod: Pod, { cluster, sealer }: Observation): boolean =>
  isKept(pod, cluster) && sealer.holds(sealedMember(pod), pod.metadata.annotations?.[sealAnnotation]);

/** How many members a StatefulSet has room for that has room for all that the operator has given to the cluster; 0 where there are none. They go back to one that has, also where fewer are asked for: what leaves for good leaves by the Job and the gates of a reduction. */
export const roomForKept = (seen: Observation): number =>
  Math.max(
    0,
    ...seen.pods.filter((pod) => isKeptByUs(pod, seen)).map((pod) => ordinalOf(pod, seen.cluster.metadata.name) + 1),
  );

/** Has the cluster control the members from this ordinal on. To come before the StatefulSet is made. */
function keepAhead(seen: Observation, ahead: number): readonly Action[] {
  // No deletion of the cluster is to wait for it beside the clean-up.
  const { blockOwnerDeletion: _blocks, ...reference } = controllerReference(seen.cluster);
  return leftFrom(seen, ahead).map((pod) => ({
    kind: 'patch',
    descriptor: pods,
    target: seenOf(pod),
    fields: {
      metadata: {
        ownerReferences: [...otherOwners(pod), reference],
        ...(hasOwnClaim(pod, seen) && { annotations: { [sealAnnotation]: seen.sealer.sign(sealedMember(pod)) } }),
      },
    },
    because: 'its StatefulSet is made again as it was before, and would make it as an older version where it is lost',
  }));
}

/** Whether the cluster takes control of members that have gone ahead. Which of them are its own is known by their claims, which a late view may not show. */
export const takesControl = ({ actions }: { readonly actions: readonly Action[] }, { cluster }: Observation): boolean =>
  actions.some(
    (action) =>
      action.kind === 'patch' &&
      action.descriptor.kind === pods.kind &&
      ownersIn(action.fields).some(({ uid }) => uid === cluster.metadata.uid),
  );

const ownersIn = (fields: object): readonly { readonly uid: string }[] =>
  (fields as { readonly metadata?: Pick<Pod['metadata'], 'ownerReferences'> }).metadata?.ownerReferences ?? []; // Of a patch of a pod.

const otherOwners = ({ metadata }: Pod) =>
  (metadata.ownerReferences ?? []).filter(({ controller }) => controller !== true);

/** Gives all members that the cluster controls to the StatefulSet, whose controller takes up what has none. */
function releaseAhead({ cluster, pods: labelled }: Observation): readonly Action[] {
  return labelled
    .filter((pod) => isKept(pod, cluster))
    .map((pod) => ({
      kind: 'patch',
      descriptor: pods,
      target: seenOf(pod),
      fields: { metadata: { ownerReferences: otherOwners(pod), annotations: { [sealAnnotation]: null } } },
      neededBy: 'nothing',
      because: 'its StatefulSet has room for it again, and makes it as what it ran where it is lost',
    }));
}

/** Whether the StatefulSet's controller has looked at the set as it is: from now on it makes each member of the template that its partition says. */
const isTakenUp = ({ statefulSet }: Observation): boolean =>
  statefulSet !== undefined &&
  (statefulSet.status?.currentRevision ?? '') !== '' &&
  heldReplicasOf(statefulSet) !== undefined;

const isOfSet = (action: Action): boolean => action.kind === 'apply' && action.descriptor.kind === statefulSets.kind;

/**
 * The writes of the children. Where members from this ordinal on are ahead of a StatefulSet that is made again, the cluster controls them before. They go back to the StatefulSet after: not before its
 * controller has looked at a set to which nothing is to be written, or it would have no room for them.
 */
export function withAhead(
  seen: Observation,
  keepFrom: number | undefined,
  children: readonly Action[],
): readonly Action[] {
  if (keepFrom !== undefined) return [...keepAhead(seen, keepFrom), ...children];
  return isTakenUp(seen) && !children.some(isOfSet) ? [...children, ...releaseAhead(seen)] : children;
}
