import type { KubernetesObject, ObjectKey, ResourceDescriptor } from '@ordinal/client';
import { keyOf, keyText } from '../cache/key.ts';
import type { CacheReader } from '../reconciler.ts';

/** What a handler may look at. */
export interface HandlerContext {
  /** The controller's own kind. */
  readonly primary: ResourceDescriptor;
  readonly cache: CacheReader;
}

/**
 * Says which keys an object concerns. It is called for the new state of a changed object and for the old one, so that a reference that was taken
 * away wakes the one that had it. `IndexName` names the index of the controller's own kind that it looks into.
 */
export interface Handler<Read extends KubernetesObject = KubernetesObject, IndexName extends string = never> {
  (object: Read, context: HandlerContext): Iterable<ObjectKey>;
  /** Never present. Carries the name for the compiler. */
  readonly index?: IndexName;
}

/** The object itself. */
export const self: Handler = (object) => [keyOf(object)];

/** The object of the controller's own kind that controls this one (owner reference with `controller: true`). */
export const owner: Handler = (object, { primary }) => {
  const controller = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (controller?.kind !== primary.kind || groupOf(controller.apiVersion) !== primary.group) return [];
  return [{ namespace: primary.scope === 'Cluster' ? '' : (object.metadata.namespace ?? ''), name: controller.name }];
};

/**
 * Every object of the controller's own kind that an index files under the changed object, however many they are: one Secret wakes all that mention it. The index is
 * declared with `for`; its values are `namespace/name` of what is referred to, unless `value` reads something else from the changed object.
 */
export function mapByIndex<const IndexName extends string, Read extends KubernetesObject = KubernetesObject>(
  index: IndexName,
  value: (object: Read) => string = (object) => keyText(keyOf(object)),
): Handler<Read, IndexName> {
  return (object, { primary, cache }) => cache.byIndex(primary, index, value(object)).map(keyOf);
}

/** The keys that a function of the object names. */
export function mapTo<Read extends KubernetesObject>(keys: (object: Read) => Iterable<ObjectKey>): Handler<Read> {
  return (object) => keys(object);
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
