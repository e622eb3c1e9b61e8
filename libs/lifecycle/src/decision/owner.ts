import type { KubernetesObject, OwnerReference } from '@ordinal/client';

/** The controller of an object: the one owner reference with `controller: true`. Undefined where there is none. */
export function controllerOf({ metadata: { ownerReferences } }: KubernetesObject): OwnerReference | undefined {
  return ownerReferences?.find(({ controller }) => controller === true);
}
