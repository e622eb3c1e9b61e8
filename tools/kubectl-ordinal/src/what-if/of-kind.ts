import type { KubernetesObject, ResourceDescriptor } from '@ordinal/client';

/** The objects of a kind. */
export const ofKind = <T extends KubernetesObject>(
  { kind }: ResourceDescriptor<T>,
  objects: readonly KubernetesObject[],
): readonly T[] => objects.filter((object) => object.kind === kind) as readonly KubernetesObject[] as readonly T[]; // By its kind.
