import type { KubernetesObject } from '@ordinal/client';
import type { Member } from './member.ts';
import type { RolloutObservation } from './observation.ts';

/** The UIDs of the members whose gates a user has opened by hand: those that this annotation of their owner lists, with commas between. Pure. */
export function openedIn(
  { metadata }: { readonly metadata: Pick<KubernetesObject['metadata'], 'annotations'> },
  annotation: string,
): readonly string[] {
  const listed = (metadata.annotations?.[annotation] ?? '').split(',').map((uid) => uid.trim());
  return listed.filter((uid) => uid !== '');
}

/** Whether a user has opened the gates of this member by hand. Pure. */
export const isOpened = (
  { uid }: Pick<Member, 'uid'>,
  { openedFor = [] }: Pick<RolloutObservation, 'openedFor'>,
): boolean => openedFor.includes(uid);
