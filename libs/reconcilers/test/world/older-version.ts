import type { KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import type { CacheReader, ControllerDefinition } from '@ordinal/runtime';

/**
 * A controller as it was before its kind had `spec.podTemplate`: it reads the same objects, knows nothing of that field, and so wants another template of
 * the same resource. In turns with the present one, it is what users have who upgrade the operator and go back.
 */
export function beforePodTemplates(present: ControllerDefinition): ControllerDefinition {
  return {
    ...present,
    reconcile: (key, context) =>
      present.reconcile(key, { ...context, cache: withoutPodTemplates(present.primary, context.cache) }),
  };
}

function withoutPodTemplates({ kind }: ResourceDescriptor, reader: CacheReader): CacheReader {
  const reduced = <T extends KubernetesObject>(object: T): T => {
    if (object.kind !== kind || !('spec' in object)) return object;
    const { podTemplate: _unknown, ...spec } = object.spec as { readonly podTemplate?: object };
    return { ...object, spec };
  };
  return {
    get: (descriptor, key) => {
      const found = reader.get(descriptor, key);
      return found && reduced(found);
    },
    list: (descriptor, options) => reader.list(descriptor, options).map(reduced),
    byIndex: (descriptor, index, value) => reader.byIndex(descriptor, index, value).map(reduced),
    countByIndex: (descriptor, index, value) => reader.countByIndex(descriptor, index, value),
    ownedBy: (descriptor, uid) => reader.ownedBy(descriptor, uid).map(reduced),
  };
}
