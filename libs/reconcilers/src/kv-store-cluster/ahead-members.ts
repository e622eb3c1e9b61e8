import type { Pod } from '@ordinal/client';
import { controllerOf, pods, statefulSets } from '@ordinal/client';
import type { Action } from '@ordinal/lifecycle';
import { heldReplicasOf, ordinalIn, seenOf } from '@ordinal/lifecycle';
import type { Observation } from './observation.ts';

/**
 * The finalizer by which a member that has gone ahead keeps its name while its StatefulSet is made again. Every pod that a new StatefulSet makes is of its first template, whatever its partition says: where
 * such a member is lost meanwhile, it would start as an older version than its volume has seen (I30). It does not keep its process alive.
 */
export const aheadFinalizer = 'kvstore.example.com/ahead-of-statefulset';

const isHeld = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(aheadFinalizer) ?? false;

/** The pods from this ordinal on that do not end, of a StatefulSet of this name or of none: the next one takes them up. */
function livingFrom({ cluster, pods: labelled }: Observation, ordinal: number): readonly Pod[] {
  const { name } = cluster.metadata;
  return labelled.filter((pod) => {
    const controller = controllerOf(pod);
    const isMember = controller === undefined || (controller.kind === statefulSets.kind && controller.name === name);
    return isMember && pod.metadata.deletionTimestamp === undefined && ordinalOf(pod, name) >= ordinal;
  });
}

/** How many members a StatefulSet that is made again has room for, where those from this ordinal on have gone ahead: with fewer than are there its controller would take them down. */
export const roomFor = (seen: Observation, ahead: number): number =>
  Math.max(ahead, ...livingFrom(seen, ahead).map((pod) => ordinalOf(pod, seen.cluster.metadata.name) + 1));

const ordinalOf = ({ metadata }: Pod, setName: string): number => ordinalIn(metadata.name, setName) ?? -1;

/** Has members from this ordinal on keep their names. To come before the StatefulSet is made: one that ends by then is not as it was seen, and gets no room. */
function holdAhead(seen: Observation, ahead: number): readonly Action[] {
  return livingFrom(seen, ahead)
    .filter((pod) => !isHeld(pod))
    .map((pod) => ({
      kind: 'addFinalizer',
      descriptor: pods,
      target: seenOf(pod),
      finalizer: aheadFinalizer,
      because:
        'its StatefulSet is made again as it was before, and would make it as an older version where it is lost meanwhile',
    }));
}

/** Removes the finalizer from all members that keep their names. */
export function releaseAhead({ pods: labelled }: Observation): readonly Action[] {
  return labelled.filter(isHeld).map((pod) => ({
    kind: 'removeFinalizer',
    descriptor: pods,
    target: seenOf(pod),
    finalizer: aheadFinalizer,
    whateverElseChanged: true,
    neededBy: 'nothing',
    because: 'a member that is lost comes back as what it ran',
  }));
}

/** Whether the StatefulSet's controller has looked at the set as it is: from now on it makes each member of the template that its partition says. */
const isTakenUp = ({ statefulSet }: Observation): boolean =>
  statefulSet !== undefined &&
  (statefulSet.status?.currentRevision ?? '') !== '' &&
  heldReplicasOf(statefulSet) !== undefined;

const isOfSet = (action: Action): boolean => action.kind === 'apply' && action.descriptor.kind === statefulSets.kind;

/**
 * The writes of the children. Where members from this ordinal on have to keep their names, they do so before. Where none has to any more, finalizers are removed after: not before the StatefulSet's
 * controller has looked at a set to which nothing is to be written.
 */
export function withAhead(
  seen: Observation,
  holdFrom: number | undefined,
  children: readonly Action[],
): readonly Action[] {
  if (holdFrom !== undefined) return [...holdAhead(seen, holdFrom), ...children];
  return isTakenUp(seen) && !children.some(isOfSet) ? [...children, ...releaseAhead(seen)] : children;
}
