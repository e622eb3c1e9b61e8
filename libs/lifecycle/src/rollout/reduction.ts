import type { Pod, StatefulSet } from '@ordinal/client';
import { controllerOf } from '@ordinal/client';
import { ordinalIn } from './member.ts';
import type { Member } from './member.ts';

/** A reduction that is under way, and where it stands by the status. */
export interface Reduction {
  /** How many members there were still to be when it was looked at last; absent where no reduction was under way. */
  readonly from: number | undefined;
  readonly set: StatefulSet | undefined;
}

/** Whether another client has made the StatefulSet smaller than a reduction has come: that stands in the status before the operator does so itself. Pure. */
export const isMadeSmaller = ({ from = 0, set }: Reduction): boolean =>
  set !== undefined && (set.spec.replicas ?? 1) < from;

/** How many members a reduction has not taken away yet, whatever size another client has given the StatefulSet since; 0 where none is under way. Pure. */
export function sizeInUse({ from = 0, set }: Reduction, pods: readonly Pod[]): number {
  if (set === undefined) return 0;
  const { name, uid } = set.metadata;
  const ordinals = pods
    .filter((pod) => pod.metadata.deletionTimestamp === undefined && controllerOf(pod)?.uid === uid)
    .flatMap(({ metadata }) => ordinalIn(metadata.name, name) ?? []);
  return Math.max(0, ...ordinals.filter((ordinal) => ordinal < from).map((ordinal) => ordinal + 1));
}

/** What a reduction has come to with a decision. */
export interface Reduced extends Pick<Reduction, 'from'> {
  /** How many members the StatefulSet is to keep now. */
  readonly kept: number;
  /** How many there are to be in the end. */
  readonly wanted: number;
  readonly members: readonly Member[];
}

/**
 * How many members there are for as long as there are more than are wanted, for the status; undefined otherwise. A reduction begins with the members that are there: a StatefulSet that is
 * seen as it was before one had ended asks for members that are gone, which no client has taken away since. Pure.
 */
export function shrinkingFrom({ from: begun = 0, kept, wanted, members }: Reduced): number | undefined {
  const from = Math.min(kept, Math.max(begun, ...members.map(({ ordinal }) => ordinal + 1)));
  return from > wanted ? from : undefined;
}
