import type {
  Condition,
  Instant,
  KubernetesObject,
  KubernetesObjectInput,
  ObjectKey,
  ResourceDescriptor,
} from '@ordinal/client';
import { secrets, instantOf } from '@ordinal/client';
import { awaitChange, changed, controller, hasFinalizer, mapTo } from '@ordinal/runtime';
import type { ControllerDefinition, Reconcile } from '@ordinal/runtime';
import { endHold, takeHold } from '../clean-up/index.ts';
import type { Decision } from '../decision/index.ts';
import { execute, isOver, nothing } from '../decision/index.ts';
import { watchedSecrets } from './secret-data.ts';

/** The finalizer on Secrets without which objects of a kind can't be cleaned up: `db.example.com/in-use`. */
export function inUseFinalizer({ group }: Pick<ResourceDescriptor, 'group'>): string {
  return `${group}/in-use`;
}

/** How long credentials may be without the finalizer before that counts as a failure, in milliseconds. */
const protectionMs = 60_000;

/** Whether credentials have been without protection for longer than that takes: `before` is the condition that has been false since. */
export function isProtectionOverdue(before: Condition | undefined, now: Instant): boolean {
  return before?.status === 'False' && isOver(instantOf(before.lastTransitionTime) ?? now, protectionMs, now);
}

/** Objects of a kind and the Secrets that they need until the end. */
export interface SecretUse<Read extends KubernetesObject, Write extends KubernetesObjectInput> {
  readonly descriptor: ResourceDescriptor<Read, Write>;
  /** The Secrets that an object needs, in its own namespace. */
  readonly secretNames: (object: Read) => readonly string[];
}

/**
 * A controller that keeps Secrets as long as an object needs them to clean up outside. When a namespace is deleted, its objects go in any order; without this,
 * credentials could go first, and what they are for could never be deleted (I18). It locks nothing up: when the last object that needs a Secret is gone,
 * so is the finalizer. It looks at the objects of all shards: give it a descriptor that keeps no more than it needs (`withFields`).
 */
export function secretProtection<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
  name: string,
  { descriptor, secretNames }: SecretUse<Read, Write>,
): ControllerDefinition {
  const keysOf = (object: Read): ObjectKey[] =>
    secretNames(object).map((name) => ({ namespace: object.metadata.namespace ?? '', name }));
  const byNeededSecret = (object: Read): string[] => keysOf(object).map((key) => `${key.namespace}/${key.name}`);
  const reconcile: Reconcile = async (key, context) => {
    const secret = context.cache.get(watchedSecrets, key);
    if (secret === undefined) return awaitChange();
    const isNeeded = context.cache.countByIndex(descriptor, 'byNeededSecret', `${key.namespace}/${key.name}`) > 0;
    return execute(decideProtection(secret, isNeeded, inUseFinalizer(descriptor)), context);
  };
  return (
    controller(name)
      .for(watchedSecrets)
      // An object's status changes often, and thousands of objects may need one Secret.
      .watches(descriptor, mapTo(keysOf), { indexes: { byNeededSecret }, predicate: changed(secretNames) })
      .writes(secrets, ['patch'])
      // One Secret may serve objects of several shards, and carries no shard's label itself.
      .options({ everyShard: true })
      .reconcile(reconcile)
  );
}

/** Whether the finalizer has to come or to go. It never comes to a Secret that is being deleted: the API server refuses that forever (I25). */
export function decideProtection(secret: KubernetesObject, isNeeded: boolean, finalizer: string): Decision {
  const hold = { descriptor: secrets, finalizer, because: 'objects need it to clean up' };
  if (isNeeded) return { actions: takeHold(secret, hold) };
  return hasFinalizer(secret, finalizer) ? { actions: [endHold(secret, hold, 'nothing needs it any more')] } : nothing;
}
