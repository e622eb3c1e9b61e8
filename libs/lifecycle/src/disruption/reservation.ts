import type { Instant, KubernetesObject, Pod } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import { ordinalIn } from '../rollout/member.ts';
import type { Awaited } from '../rollout/observation.ts';

/** How long a reservation stands, in milliseconds, unless its member is seen to be gone before. */
export const reservationMs = 30_000;

/**
 * What the annotation of an owner says of the member that was reserved last, word for word: two reservations are the same where this is. It is written on
 * the object as it was read, so that of all replicas of the operator, and of the upgrade that writes its status before it takes a member down, only one
 * can reserve a member at a time. The time in it is there for people: it decides nothing, as clocks are set and differ (`ObservedReservations`).
 */
export function reservationOf(
  { metadata }: { readonly metadata: Pick<KubernetesObject['metadata'], 'annotations'> },
  annotation: string,
): string | undefined {
  return metadata.annotations?.[annotation];
}

/** The UID of the member that a reservation is for. */
export function reservedFor(text: string): string {
  return text.split(' ', 1)[0] ?? '';
}

/** The name of that member; undefined where the reservation does not say. */
function reservedName(text: string): string | undefined {
  return text.split(' ')[2];
}

/** The annotation's text for a member that is reserved now: its UID, until when it may take to be seen to terminate, and its name. */
export function reservationText({ uid, name }: Pick<Pod['metadata'], 'uid' | 'name'>, now: Instant): string {
  return `${uid} ${timestamp(now + reservationMs)} ${name}`;
}

/** An owner whose members are protected, and its StatefulSet has its name. */
interface Reserved {
  readonly metadata: Pick<KubernetesObject['metadata'], 'name' | 'annotations'>;
}

/**
 * The member that another client was last allowed to delete, and that is gone, seen or not: its replacement may not have its data. Undefined as long as it is among these
 * pods. `annotation`: that of reservations. Pure.
 */
export function lastReservedIn(owner: Reserved, pods: readonly Pod[], annotation: string): Awaited | undefined {
  const text = reservationOf(owner, annotation) ?? '';
  const podUID = reservedFor(text);
  const ordinal = ordinalIn(reservedName(text) ?? '', owner.metadata.name);
  const isThere = pods.some(({ metadata }) => metadata.uid === podUID);
  return ordinal === undefined || isThere ? undefined : { ordinal, podUID };
}

/** The UIDs of members that may go by what stands on their owner: the one that is reserved, and the one whose gates a user has opened. Pure. */
export function allowedOn(
  owner: Reserved,
  { openGates, reservation }: { readonly openGates: string; readonly reservation: string },
): readonly string[] {
  const opened = owner.metadata.annotations?.[openGates];
  const text = reservationOf(owner, reservation);
  return [...(opened === undefined ? [] : [opened]), ...(text === undefined ? [] : [reservedFor(text)])];
}
