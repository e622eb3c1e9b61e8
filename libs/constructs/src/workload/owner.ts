import type { ObjectMeta, OwnerReference } from 'kubernetes-types/meta/v1.js';

/** The object that owns children. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** Absent for a cluster-scoped owner. */
  readonly namespace?: string;
}

/**
 * The label that says whose an object is that must outlive its owner: volume claims and backup Jobs; and of the pods of Jobs. The UID is the owner's, so that a new cluster of
 * the same name is never taken for the old one.
 */
export const ownerUidLabel = 'ordinal.dev/owner-uid';

/** What every child of a resource is called, where it lives and whose it is. */
export interface ChildMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels: Record<string, string>;
  readonly owner?: Owner;
}

/**
 * The reference that makes an object the controller of its child, so that the garbage collector deletes the child with it.
 *
 * Throws a `TypeError` where Kubernetes forbids it: an owner in a namespace can own in that namespace only, and nothing that is cluster-scoped.
 */
export function controllerReference(owner: Owner, child: { readonly namespace?: string }): OwnerReference {
  if (owner.namespace !== undefined && owner.namespace !== child.namespace) {
    const where =
      child.namespace === undefined ? 'a cluster-scoped object' : `an object in namespace ${child.namespace}`;
    throw new TypeError(
      `${owner.kind} ${owner.namespace}/${owner.name} can't own ${where}: label it and delete it in a finalizer instead`,
    );
  }
  const { apiVersion, kind, name, uid } = owner;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The metadata of a child: name, namespace, labels, and the owner reference where there is an owner. */
export function childMetadata({ name, namespace, labels, owner }: ChildMetadata): ObjectMeta {
  const place = namespace === undefined ? {} : { namespace };
  return { name, ...place, labels, ...(owner ? { ownerReferences: [controllerReference(owner, place)] } : {}) };
}
