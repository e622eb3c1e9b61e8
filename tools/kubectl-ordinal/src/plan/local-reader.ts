import type { KubernetesObject, KubernetesObjectInput, ObjectKey, ResourceDescriptor } from '@ordinal/client';
import { controllerOf, isApiError } from '@ordinal/client';
import type { CacheReader, ControllerDefinition } from '@ordinal/runtime';
import type { Place } from '../cluster/read.ts';
import { listOf } from '../cluster/read.ts';
import { CommandError } from '../failure.ts';

/** What a controller reads, by kind. */
export type LocalObjects = ReadonlyMap<string, readonly KubernetesObject[]>;

const keyOf = ({ group, plural }: ResourceDescriptor): string => `${plural}.${group}`;

/** Reads what a controller keeps in its caches, of one namespace. Throws a `CommandError` where the user may not: a plan without a part of it would be another one. */
export async function readFor({ watches }: ControllerDefinition, { client, namespace }: Place): Promise<LocalObjects> {
  const kinds = new Map(watches.map(({ descriptor }) => [keyOf(descriptor), descriptor]));
  const read = async ([key, descriptor]: readonly [string, ResourceDescriptor]) => {
    try {
      const isOne = descriptor.kind === 'Namespace';
      const items = isOne
        ? [
            await client(descriptor)
              .cluster()
              .get(namespace ?? ''),
          ]
        : (await listOf(descriptor, { client, namespace: descriptor.scope === 'Cluster' ? undefined : namespace }))
            .items;
      return [key, items] as const;
    } catch (cause) {
      if (!isApiError(cause, 'Forbidden')) throw cause;
      const message = `a plan needs to read ${key} as the operator does, and you may not`;
      throw new CommandError(message, undefined, { cause });
    }
  };
  return new Map(await Promise.all([...kinds].map(read)));
}

/** Reads of objects that were read before, as a controller reads its caches. */
export function localReader({ watches }: ControllerDefinition, objects: LocalObjects): CacheReader {
  // Each list has objects of the kind that it was read as.
  const all = <T extends KubernetesObject, W extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<T, W>,
  ): readonly T[] => (objects.get(keyOf(descriptor)) ?? []) as readonly T[];
  const byIndex = <T extends KubernetesObject, W extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<T, W>,
    index: string,
    value: string,
  ): readonly T[] => {
    const file = watches.find((each) => keyOf(each.descriptor) === keyOf(descriptor) && each.indexes[index])?.indexes[
      index
    ];
    if (!file) throw new TypeError(`${keyOf(descriptor)} has no index ${index}`);
    return all(descriptor).filter((object) => [...file(object)].includes(value));
  };
  return {
    get: (descriptor, { namespace, name }: ObjectKey) =>
      all(descriptor).find(
        ({ metadata }) =>
          metadata.name === name && (descriptor.scope === 'Cluster' || metadata.namespace === namespace),
      ),
    list: (descriptor, { namespace, labels = {} } = {}) =>
      all(descriptor).filter(
        ({ metadata }) =>
          (namespace === undefined || metadata.namespace === namespace) &&
          Object.entries(labels).every(([label, value]) => metadata.labels?.[label] === value),
      ),
    byIndex,
    countByIndex: (descriptor, index, value) => byIndex(descriptor, index, value).length,
    ownedBy: (descriptor, uid) => all(descriptor).filter((object) => controllerOf(object)?.uid === uid),
  };
}
