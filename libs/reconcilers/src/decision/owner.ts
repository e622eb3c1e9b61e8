import type { KubernetesObject, OwnerReference } from '@ordinal/client';

/** Who controls an object: the one owner of it that says so of itself. Undefined where nobody does. */
export function controllerOf({ metadata: { ownerReferences } }: KubernetesObject): OwnerReference | undefined {
  return ownerReferences?.find(({ controller }) => controller === true);
}
