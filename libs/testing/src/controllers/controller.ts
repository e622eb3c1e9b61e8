import type { Clock, KubernetesObject, ObjectKey, Random } from '@ordinal/client';
import type { Kind } from './kinds.ts';
import type { Store, StoreEvent } from './store.ts';

/** What a controller's reconcile may use. */
export interface ControllerContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** Publishes an event about an object, as `kubectl describe` shows it. */
  event(regarding: KubernetesObject, type: 'Normal' | 'Warning', reasonAndMessage: readonly [string, string]): void;
}

/** A kind that a controller watches, and which keys an event of it wakes. */
export interface ControllerWatch {
  readonly kind: Kind<unknown>;
  readonly keys: (event: StoreEvent, store: Store) => readonly ObjectKey[];
}

/**
 * One of Kubernetes' own controllers. It is level-based: `reconcile` looks at the present state of a key and does the next thing. It returns after how
 * many milliseconds to look again although nothing changes; what it throws is tried again with back-off.
 */
export interface ControllerDefinition {
  readonly name: string;
  readonly watches: readonly ControllerWatch[];
  readonly reconcile: (key: ObjectKey, context: ControllerContext) => number | undefined;
}

/** Wakes the object that changed. */
export const itself: ControllerWatch['keys'] = ({ object }) => [keyOf(object)];

/** Wakes the controller of the object that changed, where it is of this kind. */
export function itsController(kind: Kind<unknown>): ControllerWatch['keys'] {
  return ({ object, previous }) => {
    const keys: ObjectKey[] = [];
    for (const state of [object, previous]) {
      const owner = state?.metadata.ownerReferences?.find((reference) => reference.controller === true);
      if (owner?.kind !== kind.kind || keys.some((key) => key.name === owner.name)) continue;
      keys.push({ namespace: object.metadata.namespace ?? '', name: owner.name });
    }
    return keys;
  };
}

/** An object's key. */
export function keyOf(object: KubernetesObject): ObjectKey {
  return { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
}
