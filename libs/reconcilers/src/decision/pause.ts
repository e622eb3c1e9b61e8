import type { KubernetesObject } from '@ordinal/client';

/** The annotation that stops all work on an object while it is `"true"`, save its deletion. */
export const pausedAnnotation = 'ordinal.dev/paused';

/**
 * Whether a user has stopped all work on the object. One rule for all kinds: a pause never stops a deletion. A user who deletes an object wants it
 * gone, and a namespace has to come to its end whatever was forgotten on the objects in it.
 */
export function isPaused({ metadata }: Pick<KubernetesObject, 'metadata'>): boolean {
  return metadata.deletionTimestamp === undefined && metadata.annotations?.[pausedAnnotation] === 'true';
}
