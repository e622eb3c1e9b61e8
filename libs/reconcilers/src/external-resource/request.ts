import type { KubernetesObject } from '@ordinal/client';

/** The annotation that stops all work on an object, its deletion included, while it is `"true"`. */
export const pausedAnnotation = 'ordinal.dev/paused';

/** The annotation whose change asks for a look at once. */
export const reconcileRequestedAnnotation = 'ordinal.dev/reconcile-requested-at';

/** Whether somebody has stopped all work on the object. */
export function isPaused({ metadata }: Pick<KubernetesObject, 'metadata'>): boolean {
  return metadata.annotations?.[pausedAnnotation] === 'true';
}
