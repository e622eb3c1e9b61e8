import type { ClusteredCache } from '@ordinal/api';
import { clusteredCaches } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import type { Action } from '../decision/index.ts';
import { instantOf, seenOf, timestamp } from '../decision/index.ts';

/**
 * The annotation of a ClusteredCache that says which member was let go last: its UID, and until when it may take to be seen to terminate. It is written on
 * the object as it was read, so that of all replicas of the operator, and of the upgrade that writes its status before it takes a member down, only one
 * can let a member go at a time.
 */
export const letGoAnnotation = 'cache.my.domain/let-go';

/** How long a member that was let go keeps the others, in milliseconds, unless it is seen to be gone before. */
const reservationMs = 30_000;

/** A member that was let go. */
export interface Reservation {
  readonly uid: string;
  readonly until: Instant;
}

/** What the annotation says; undefined where there is none, or one that nobody can read. */
export function reservationOf({ metadata }: Pick<ClusteredCache, 'metadata'>): Reservation | undefined {
  const [uid = '', moment] = metadata.annotations?.[letGoAnnotation]?.split(' ') ?? [];
  const until = instantOf(moment);
  return uid === '' || until === undefined ? undefined : { uid, until };
}

/** The annotation's text for a member that is let go now. */
export function reservationText(uid: string, now: Instant): string {
  return `${uid} ${timestamp(now + reservationMs)}`;
}

/** A reservation that ends later than any made now could: the clock was set back since. It is made anew, so that nobody waits until the clock has caught up. */
export function renewReservation(cache: ClusteredCache, now: Instant): readonly Action[] {
  const made = reservationOf(cache);
  // Replicas have clocks of their own: what is a little too late is none of ours.
  if (!made || made.until <= now + 2 * reservationMs) return [];
  return [
    {
      kind: 'annotate',
      descriptor: clusteredCaches,
      target: seenOf(cache),
      annotations: { [letGoAnnotation]: reservationText(made.uid, now) },
      because: 'the clock was set back since a member was let go',
    },
  ];
}
