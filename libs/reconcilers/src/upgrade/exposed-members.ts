import type { Pod } from '@ordinal/client';
import { controllerOf } from '@ordinal/client';
import { ordinalIn } from '@ordinal/lifecycle';
import { allowedByAnnotations, wasMemberDeletable } from './deletable.ts';
import type { SeenMembers } from './kept-replicas.ts';
import { hasBeenMadeSmaller, keptReplicas } from './kept-replicas.ts';
import type { Upgradable } from './upgradable.ts';

type Exposed = NonNullable<NonNullable<Upgradable['status']>['exposed']>[number];

/** What is known of the members that another client has exposed: it has made the StatefulSet too small for them, past the gates of a reduction. */
export interface ExposedMembers {
  /** Those that may still go by that, to be recorded before the size is put back. */
  readonly exposed: readonly Exposed[];
  /** Those that have gone by it, one sentence for each. */
  readonly bypasses: readonly string[];
  /** Whether a member is, or may be, exposed: who has gone by it only the API server shows. */
  readonly needsConfirmation: boolean;
  /** How many members are left, where it is reported that others have gone. */
  readonly left?: number;
}

/**
 * Which members are exposed from now on, and which of them have gone. Pure.
 *
 * **Guarantees.** Each that goes is reported once: also one that goes while the operator puts the size back, when the StatefulSet is as large again as if nothing had happened. None is
 * reported that goes after the StatefulSet's controller has seen the size put back: from then on it goes by what another client does to it alone, or by the reduction.
 *
 * **Assumptions.** The record is written before the size is put back. While a member is exposed the operator takes none away.
 */
export function exposedMembersAfter(seen: SeenMembers): ExposedMembers {
  const { object, set, isConfirmed, isSizeSeen } = seen;
  const recorded = object.status?.exposed ?? [];
  const needsConfirmation = recorded.length > 0 || hasBeenMadeSmaller(seen);
  if (!isConfirmed) return { exposed: recorded, bypasses: [], needsConfirmation };
  // What goes with its StatefulSet passes no gate, and whoever makes it again counts who is left.
  if (!set || set.metadata.deletionTimestamp !== undefined) return { exposed: [], bypasses: [], needsConfirmation };
  const gone = recorded.filter((member) => hasGone(member, seen));
  const taken = takenPastGates(seen);
  const bypasses = [...gone.map(({ pod }) => takenAway(pod)), ...taken];
  const isOver = isSizeSeen && !hasBeenMadeSmaller(seen);
  const staying = isOver ? [] : recorded.filter(({ podUID }) => isPresent(podUID, seen));
  return {
    ...{ exposed: union(staying, exposedNow(seen)), bypasses: [...new Set(bypasses)], needsConfirmation },
    ...(taken.length > 0 && { left: keptReplicas(seen) }),
  };
}

/** What the status says of a reduction from then on: what is reported to have gone is gone, also where nothing puts the size back, as while the object is paused. */
export function exposedFields(
  shrinkingFrom: number | undefined,
  { exposed, left }: Pick<ExposedMembers, 'exposed' | 'left'>,
  wantedReplicas: number,
): Pick<NonNullable<Upgradable['status']>, 'exposed' | 'shrinkingFrom'> {
  const from = left === undefined || shrinkingFrom === undefined ? shrinkingFrom : Math.min(shrinkingFrom, left);
  const isOver = from === undefined || (left !== undefined && from <= wantedReplicas);
  return { ...(exposed.length > 0 && { exposed }), ...(!isOver && { shrinkingFrom: from }) };
}

const takenAway = (pod: string): string =>
  `${pod} was taken away by another client, which made the StatefulSet smaller`;

/** Those that have gone already when the size is first seen: their places are not made again, so that they are known by their ordinals. */
function takenPastGates(seen: SeenMembers): readonly string[] {
  const { object } = seen;
  if (!hasBeenMadeSmaller(seen)) return [];
  const from = object.status?.shrinkingFrom ?? 0;
  const left = keptReplicas(seen);
  return Array.from({ length: Math.max(0, from - left) }, (_, index) =>
    takenAway(`${object.metadata.name}-${left + index}`),
  );
}

/** The members that the StatefulSet, as another client has made it, has no place for. */
function exposedNow(seen: SeenMembers): readonly Exposed[] {
  const { object, set, pods } = seen;
  if (!hasBeenMadeSmaller(seen)) return [];
  const size = set?.spec.replicas ?? 1;
  return pods
    .filter((pod) => isAlive(pod) && controllerOf(pod)?.uid === set?.metadata.uid)
    .filter(({ metadata }) => (ordinalIn(metadata.name, object.metadata.name) ?? -1) >= size)
    .map(({ metadata: { name, uid } }) => ({ pod: name, podUID: uid }));
}

const isAlive = ({ metadata }: Pod): boolean => metadata.deletionTimestamp === undefined;

const isPresent = (podUID: string, { pods }: SeenMembers): boolean =>
  pods.some((pod) => pod.metadata.uid === podUID && isAlive(pod));

/** It has gone, or goes, and neither the webhook nor a user has allowed it. */
function hasGone({ podUID }: Exposed, seen: SeenMembers): boolean {
  const pod = seen.pods.find(({ metadata }) => metadata.uid === podUID);
  if (pod) return !isAlive(pod) && !wasMemberDeletable(pod, seen, Infinity);
  return !allowedByAnnotations(seen.object).includes(podUID);
}

function union(recorded: readonly Exposed[], found: readonly Exposed[]): readonly Exposed[] {
  const isRecorded = ({ podUID }: Exposed): boolean => recorded.some((each) => each.podUID === podUID);
  return [...recorded, ...found.filter((each) => !isRecorded(each))];
}
