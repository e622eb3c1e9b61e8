import type { KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import { hasFinalizer, isBeingDeleted } from '@ordinal/runtime';
import type { AddFinalizer, RemoveFinalizer } from '../decision/index.ts';
import { seenOf } from '../decision/index.ts';

/** The finalizer by which a kind keeps its objects until everything is cleaned up that goes with them. */
export interface Hold {
  readonly descriptor: ResourceDescriptor;
  readonly finalizer: string;
  /** Why an object is held, as a plan shows it. */
  readonly because: string;
}

/** Where an object is between its creation and its end. */
export type Life =
  /** It is not held yet: that comes before anything is made that its deletion has to clean up. */
  | 'new'
  /** It is held. */
  | 'living'
  /** It is being deleted, and waits for its clean-up. */
  | 'leaving'
  /** It is being deleted and does not wait for us: nothing is done for it any more. Anyone who takes the finalizer off by hand has decided so. */
  | 'released';

/** A finalizer is added to nothing that is being deleted (I25): what was never held is `released` at once. */
export function lifeOf(object: KubernetesObject, { finalizer }: Pick<Hold, 'finalizer'>): Life {
  const isHeld = hasFinalizer(object, finalizer);
  if (!isBeingDeleted(object)) return isHeld ? 'living' : 'new';
  return isHeld ? 'leaving' : 'released';
}

/** Adds the finalizer to an object that is `new`; nothing for any other. */
export function takeHold(object: KubernetesObject, hold: Hold): readonly AddFinalizer[] {
  if (lifeOf(object, hold) !== 'new') return [];
  const { descriptor, finalizer, because } = hold;
  return [{ kind: 'addFinalizer', descriptor, target: seenOf(object), finalizer, because }];
}

/** Takes the finalizer off, on the object as it was seen. The last action of a clean-up: where one before it in the same decision fails, it is not carried out. */
export function endHold(
  object: KubernetesObject,
  { descriptor, finalizer }: Pick<Hold, 'descriptor' | 'finalizer'>,
  because: string,
): RemoveFinalizer {
  return { kind: 'removeFinalizer', descriptor, target: seenOf(object), finalizer, because };
}
