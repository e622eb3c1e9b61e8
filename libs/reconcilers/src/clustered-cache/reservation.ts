import type { ClusteredCache } from '@ordinal/api';
import type { Instant, Pod } from '@ordinal/client';
import { timestamp } from '@ordinal/client';

/**
 * The annotation of a ClusteredCache that says which member was reserved last: its UID, until when it may take to be seen to terminate, and its name. It is written on
 * the object as it was read, so that of all replicas of the operator, and of the upgrade that writes its status before it takes a member down, only one
 * can reserve a member at a time. The time is there for people: it decides nothing, as clocks are set and differ (`ObservedReservations`).
 */
export const reservationAnnotation = 'cache.my.domain/reservation';

/** How long a reservation stands, in milliseconds, unless its member is seen to be gone before. */
export const reservationMs = 30_000;

/** What the annotation says, word for word: two reservations are the same where this is. */
export function reservationOf({ metadata }: Pick<ClusteredCache, 'metadata'>): string | undefined {
  return metadata.annotations?.[reservationAnnotation];
}

/** The UID of the member that a reservation is for. */
export function reservedFor(text: string): string {
  return text.split(' ', 1)[0] ?? '';
}

/** The name of that member; undefined where the reservation does not say. */
export function reservedName(text: string): string | undefined {
  return text.split(' ')[2];
}

/** The annotation's text for a member that is reserved now. */
export function reservationText({ uid, name }: Pick<Pod['metadata'], 'uid' | 'name'>, now: Instant): string {
  return `${uid} ${timestamp(now + reservationMs)} ${name}`;
}
