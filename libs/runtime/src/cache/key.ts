import type { KubernetesObject, ObjectKey, ResourceDescriptor } from '@ordinal/client';

/** An object's place as one string, `namespace/name`, to be a key of maps. Neither part can contain a slash. */
export function keyText(key: ObjectKey): string {
  return `${key.namespace}/${key.name}`;
}

/** The place that a key's text names. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** The namespace in a key's text: empty for what has none. */
export function namespaceOf(text: string): string {
  return text.slice(0, Math.max(0, text.indexOf('/')));
}

/** Where an object is. */
export function keyOf(object: KubernetesObject): ObjectKey {
  return { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
}

/** A kind's name for people and metrics: `statefulsets.apps`, or `pods` in the core group. */
export function kindName(descriptor: Pick<ResourceDescriptor, 'group' | 'plural'>): string {
  return descriptor.group === '' ? descriptor.plural : `${descriptor.plural}.${descriptor.group}`;
}
