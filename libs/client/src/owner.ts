import type { KubernetesObject, KubernetesObjectInput, OwnerReference } from './object.ts';

/** The reference of a controlling owner: the child goes when the owner does, and it has no other controller. */
export function controllerReference({ apiVersion, kind, metadata }: KubernetesObject): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The controller of an object: the one owner reference with `controller: true`. Undefined where there is none. */
export function controllerOf({ metadata }: Pick<KubernetesObjectInput, 'metadata'>): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
