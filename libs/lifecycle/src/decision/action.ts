import type { KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';

/** One object, exactly: the same name with another UID is another object. */
export interface Identity {
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** An object as it was seen, for writes that must not happen when it has changed since. */
export interface Seen extends Identity {
  readonly resourceVersion: string;
  readonly finalizers: readonly string[];
}

interface Reasoned {
  /** Why, in words that an operator on call understands. Printed by `plan` and logged when it is done. */
  readonly because: string;
  /** `nothing`: it is carried out also after an action that has failed, for it rests on none of them. Absent: it needs all that come before it. */
  readonly needs?: 'nothing';
  /** `nothing`: where it fails, the others are carried out all the same, for none rests on it. Absent: all that come after it need it. */
  readonly neededBy?: 'nothing';
}

interface Targeted extends Reasoned {
  readonly descriptor: ResourceDescriptor;
}

/** Server-side apply of the fields that we want, forced: a conflicting owner loses the field. */
export interface Apply extends Targeted {
  readonly kind: 'apply';
  readonly object: KubernetesObjectInput;
  /** It was not seen to exist. The action looks for it once more before: an apply would write over what has been made of it meanwhile (`Stale`). */
  readonly onlyIfAbsent?: boolean;
}

/** Creates an object that must not exist yet. That it exists after all means that our view was old (`Stale`). */
export interface Create extends Targeted {
  readonly kind: 'create';
  readonly object: KubernetesObjectInput;
}

/** Deletes on the condition that the UID is still this one. An object that is already gone is a success. */
export interface Delete extends Targeted {
  readonly kind: 'delete';
  readonly target: Identity;
  /** Also on the condition that nothing of it has changed. */
  readonly resourceVersion?: string;
  /** `Background` by default. */
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  /** Also on the condition that the object which the decision rests on is as it was seen. It is read once more before: what was seen may be old. */
  readonly onlyWhile?: { readonly descriptor: ResourceDescriptor; readonly target: Seen };
}

/** Adds a finalizer to an object that is not being deleted (the API server refuses it forever on one that is: I25). */
export interface AddFinalizer extends Targeted {
  readonly kind: 'addFinalizer';
  readonly target: Seen;
  readonly finalizer: string;
}

/** Takes a finalizer off. An object that is already gone is a success. */
export interface RemoveFinalizer extends Targeted {
  readonly kind: 'removeFinalizer';
  readonly target: Seen;
  readonly finalizer: string;
  /**
   * Also when the object has changed since it was seen, as long as it is the same and its finalizers are: for objects that others write all the time,
   * such as a pod that ends, where nothing of what they write bears on the decision.
   */
  readonly whateverElseChanged?: true;
}

/** Sets annotations, or removes those that are null, on the object as it was seen. */
export interface Annotate extends Targeted {
  readonly kind: 'annotate';
  readonly target: Seen;
  readonly annotations: Readonly<Record<string, string | null>>;
}

/** Sets the replicas of an object through its scale subresource's owner: a merge patch of the given fields, on the object as it was seen. */
export interface PatchFields extends Targeted {
  readonly kind: 'patch';
  readonly target: Seen;
  /** A merge patch (RFC 7386). */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A call of an outside system, described by the kind that makes it and carried out by what `execute` is given for it. */
export interface Call<C> extends Reasoned {
  readonly kind: 'call';
  readonly call: C;
}

/** What a reconcile wants done. Nothing of it has happened yet: it can be printed, recorded, compared and searched. */
export type Action<C = never> =
  | Apply
  | Create
  | Delete
  | AddFinalizer
  | RemoveFinalizer
  | Annotate
  | PatchFields
  | ([C] extends [never] ? never : Call<C>);

/** Who an object is. */
export function identityOf(object: KubernetesObject): Identity {
  return { namespace: object.metadata.namespace ?? '', name: object.metadata.name, uid: object.metadata.uid };
}

/** Who an object is, and what it was when we looked. */
export function seenOf(object: KubernetesObject): Seen {
  return {
    ...identityOf(object),
    resourceVersion: object.metadata.resourceVersion,
    finalizers: object.metadata.finalizers ?? [],
  };
}

/**
 * The object as it is to be applied over one that was seen: whatever has changed it since, or has taken its name, makes that a conflict. A StatefulSet that was seen
 * before it grew would else lose its last members, without a gate.
 */
export function onlyAsSeen(object: KubernetesObjectInput, { metadata }: KubernetesObject): KubernetesObjectInput {
  const { uid, resourceVersion } = metadata;
  return { ...object, metadata: { ...object.metadata, uid, resourceVersion } };
}
