import type { Instant, KubernetesObject, Pod } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import { ordinalIn } from '../rollout/member.ts';
import type { Awaited, RolloutObservation } from '../rollout/observation.ts';
import { openedIn } from '../rollout/opened.ts';
import type { Remembered } from '../rollout/remembered.ts';
import { rememberedIn } from '../rollout/remembered.ts';

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
function lastReservedIn(owner: Reserved, pods: readonly Pod[], annotation: string): Awaited | undefined {
  const text = reservationOf(owner, annotation) ?? '';
  const podUID = reservedFor(text);
  const ordinal = ordinalIn(reservedName(text) ?? '', owner.metadata.name);
  const isThere = pods.some(({ metadata }) => metadata.uid === podUID);
  return ordinal === undefined || isThere ? undefined : { ordinal, podUID };
}

/** The annotations of an owner that say something of single members. */
interface MemberAnnotations {
  /** The members whose gates a user has opened by hand. */
  readonly openGates: string;
  /** The member that the webhook has allowed to be deleted. */
  readonly reservation: string;
}

/** The UIDs of members that may go by what stands on their owner: the one that is reserved, and those whose gates a user has opened. Pure. */
export function allowedOn(owner: Reserved, { openGates, reservation }: MemberAnnotations): readonly string[] {
  const text = reservationOf(owner, reservation);
  return [...openedIn(owner, openGates), ...(text === undefined ? [] : [reservedFor(text)])];
}

/** What stands on an owner about single members: in its annotations, and in its status. Pure. */
export function recordedOn(
  owner: Reserved & { readonly status?: Parameters<typeof rememberedIn>[0] },
  pods: readonly Pod[],
  { openGates, reservation }: MemberAnnotations,
): Remembered & Pick<RolloutObservation, 'openedFor' | 'lastReserved'> {
  const lastReserved = lastReservedIn(owner, pods, reservation);
  return {
    openedFor: openedIn(owner, openGates),
    ...rememberedIn(owner.status),
    ...(lastReserved === undefined ? {} : { lastReserved }),
  };
}
