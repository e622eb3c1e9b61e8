import type { KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import { hasFinalizer, isBeingDeleted } from '@ordinal/runtime';
import type { AddFinalizer, RemoveFinalizer } from '../decision/index.ts';
import { seenOf } from '../decision/index.ts';

/** The finalizer by which a kind keeps its objects until everything is cleaned up that goes with them. */
export interface Hold {
  readonly descriptor: ResourceDescriptor;
  readonly finalizer: string;
  /** Why an object is held, as a plan tells it. */
  readonly because: string;
}

/** Where an object is in its life, as its clean-up has it. */
export type Life =
  /** It is not held yet: what its deletion would have to clean up must not be made. */
  | 'new'
  /** It is held. */
  | 'living'
  /** It is being deleted, and waits for its clean-up. */
  | 'leaving'
  /** It is being deleted and does not wait for us: nothing is done for it any more. Who takes a finalizer off by hand decides that. */
  | 'released';

/** Where an object is in its life. A finalizer is added to nothing that is being deleted (I25): what was never held is `released` at once. */
export function lifeOf(object: KubernetesObject, { finalizer }: Pick<Hold, 'finalizer'>): Life {
  const isHeld = hasFinalizer(object, finalizer);
  if (!isBeingDeleted(object)) return isHeld ? 'living' : 'new';
  return isHeld ? 'leaving' : 'released';
}

/** Adds the finalizer to an object that is `new`; nothing for every other. */
export function takeHold(object: KubernetesObject, hold: Hold): readonly AddFinalizer[] {
  if (lifeOf(object, hold) !== 'new') return [];
  const { descriptor, finalizer, because } = hold;
  return [{ kind: 'addFinalizer', descriptor, target: seenOf(object), finalizer, because }];
}

/** Takes the finalizer off, on the object as it was seen: the last action of a clean-up, when all of it is observed to be done. */
export function endHold(
  object: KubernetesObject,
  { descriptor, finalizer }: Pick<Hold, 'descriptor' | 'finalizer'>,
  because: string,
): RemoveFinalizer {
  return { kind: 'removeFinalizer', descriptor, target: seenOf(object), finalizer, because };
}
