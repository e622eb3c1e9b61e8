import type { KubernetesObject } from '@ordinal/client';

/**
 * Whether a user has stopped all work on an object: this annotation is `"true"`. One rule for all kinds: a pause never stops a deletion. A user who deletes an object
 * wants it gone, and a namespace has to come to its end whatever was forgotten on the objects in it.
 */
export function pausedBy(annotation: string): (object: Pick<KubernetesObject, 'metadata'>) => boolean {
  return ({ metadata }) => metadata.deletionTimestamp === undefined && metadata.annotations?.[annotation] === 'true';
}
