import type { KubernetesObject, OwnerReference } from '@ordinal/client';

/** The reference of the object that controls this one. */
export function controllerOf(object: KubernetesObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** A reference by which an owner controls what it makes: its deletion in the foreground waits for them. */
export function controllerReference(owner: KubernetesObject): OwnerReference {
  const { name, uid } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Whether the object is being deleted. */
export function isTerminating(object: { readonly metadata: object }): boolean {
  return 'deletionTimestamp' in object.metadata && object.metadata.deletionTimestamp !== undefined;
}
