import type { KubernetesObject } from '@ordinal/client';
import { controllerOf, controllerReference } from '@ordinal/client';
import type { LabelSelector } from 'kubernetes-types/meta/v1.js';
import type { ControllerWatch } from './controller.ts';
import { itsController, keyOf } from './controller.ts';
import type { Kind, Live } from './kinds.ts';
import { isTerminating } from './owner.ts';
import { matchesSelector } from './selector.ts';
import type { Store } from './store.ts';

/** Which objects a controller adopts, and which of its own it releases. */
export interface Claim<T> {
  readonly kind: Kind<T>;
  readonly owner: KubernetesObject;
  /** Whether an object is one that the owner selects. */
  readonly fits: (object: Live<T>) => boolean;
  /** A finalizer that goes with the ownership: an adopted object gets it, a released one loses it. */
  readonly finalizer?: string;
}

/**
 * The objects that an owner controls. It adopts orphans that fit, and releases its own that fit no longer; one that is being deleted does neither.
 * Throws what the server refuses.
 */
export function claimed<T>(objects: readonly Live<T>[], claim: Claim<T>, store: Store): Live<T>[] {
  const { owner, fits } = claim;
  const own: Live<T>[] = [];
  for (const object of objects) {
    const controller = controllerOf(object);
    if (controller !== undefined && controller.uid !== owner.metadata.uid) continue;
    if (!fits(object)) {
      if (controller !== undefined && !isTerminating(owner)) release(object, claim, store);
    } else if (controller !== undefined) own.push(object);
    else if (!isTerminating(owner) && !isTerminating(object)) own.push(adopt(object, claim, store));
  }
  return own;
}

function adopt<T>(object: Live<T>, { kind, owner, finalizer }: Claim<T>, store: Store): Live<T> {
  const { ownerReferences = [], finalizers = [] } = object.metadata;
  const metadata = {
    ...object.metadata,
    ownerReferences: [...ownerReferences, controllerReference(owner)],
    ...(finalizer !== undefined && !finalizers.includes(finalizer) && { finalizers: [...finalizers, finalizer] }),
  };
  return store.update<T>(kind, { ...object, metadata });
}

function release<T>(object: Live<T>, { kind, owner, finalizer }: Claim<T>, store: Store): void {
  const { ownerReferences = [], finalizers = [] } = object.metadata;
  const metadata = {
    ...object.metadata,
    ownerReferences: ownerReferences.filter(({ uid }) => uid !== owner.metadata.uid),
    ...(finalizer !== undefined && { finalizers: finalizers.filter((name) => name !== finalizer) }),
  };
  store.update<T>(kind, { ...object, metadata });
}

/** An object that selects others. */
interface Selecting {
  readonly spec?: { readonly selector?: LabelSelector };
}

/** The objects of a kind that would adopt an orphan; none where it has a controller. */
export function suitorsOf<T>(
  kind: Kind<T>,
  selectorOf: (owner: Live<T>) => LabelSelector | undefined,
): ControllerWatch['keys'] {
  return ({ object }, store) => {
    if (controllerOf(object) !== undefined) return [];
    return store
      .list(kind, object.metadata.namespace)
      .filter((owner) => matchesSelector(selectorOf(owner), object.metadata.labels))
      .map(keyOf);
  };
}

/** Wakes the controller of the object that changed, the one that it had before, and those that would adopt it. */
export function itsControllerOrSuitors(kind: Kind<Selecting>): ControllerWatch['keys'] {
  const controllers = itsController(kind);
  const suitors = suitorsOf(kind, ({ spec }) => spec?.selector);
  return (event, store) => [...controllers(event, store), ...suitors(event, store)];
}
