import type { Clock, KubernetesObject, ObjectKey, Random } from '@ordinal/client';
import type { Kind } from './kinds.ts';
import type { Work } from '../scheduler/work.ts';
import type { Store, StoreDeleteOptions, StoreEvent } from './store.ts';

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
 * many milliseconds to look again although nothing changes; what it throws is tried again with back-off. While it waits for an answer, the key is not looked
 * at a second time.
 */
export interface ControllerDefinition {
  readonly name: string;
  readonly watches: readonly ControllerWatch[];
  /** Which keys a change of any object wakes, whatever its kind. It is asked of every change, and has to be quick where it wakes none. */
  readonly everything?: ControllerWatch['keys'];
  readonly reconcile: (key: ObjectKey, context: ControllerContext) => number | undefined | Work<number | undefined>;
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

/** Deletes an object, or begins to, and waits for the admission webhooks that are asked. Throws what the server refuses, such as the 429 of a webhook. */
export function* deleteObject(
  store: Store,
  [kind, target]: readonly [Kind<unknown>, KubernetesObject],
  options?: StoreDeleteOptions,
): Work<void> {
  const answer = store.beginDelete(kind, target, options);
  if (answer !== undefined) yield answer;
}

/** An object's key. */
export function keyOf(object: KubernetesObject): ObjectKey {
  return { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
}
