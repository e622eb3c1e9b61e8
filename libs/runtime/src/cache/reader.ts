import type { KubernetesObject, KubernetesObjectInput, ObjectKey, ResourceDescriptor } from '@ordinal/client';
import type { CacheReader } from '../reconciler.ts';
import { keyText, kindName } from './key.ts';
import type { KindCache } from './kind-cache.ts';
import { ownerUidIndex } from './store.ts';

/** Reads from the caches of the kinds that one controller has declared. */
export class DeclaredReader implements CacheReader {
  readonly #caches: ReadonlyMap<string, KindCache>;
  readonly #controller: string;

  /** `caches` by `kindName`. */
  constructor(controller: string, caches: ReadonlyMap<string, KindCache>) {
    this.#controller = controller;
    this.#caches = caches;
  }

  /** The object at a key, frozen; undefined where there is none. Throws a `RuntimeError` (`ObjectTooLarge`) where it is too large to be kept. */
  get<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    key: ObjectKey,
  ): Read | undefined {
    const namespace = descriptor.scope === 'Cluster' ? '' : key.namespace;
    return this.#cache(descriptor).store.get(keyText({ namespace, name: key.name })) as Read | undefined;
  }

  /**
   * All objects, or those in a namespace or with these labels. In a namespace, one that is too large to be kept is a `RuntimeError` (`ObjectTooLarge`); of all
   * namespaces, such ones are left out.
   */
  list<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    options: { readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> } = {},
  ): readonly Read[] {
    return typed<Read>([...this.#cache(descriptor).store.objects(options.namespace, options.labels ?? {})]);
  }

  /** The objects that an index files under a value. Throws a `TypeError` for an index that was not declared. */
  byIndex<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    index: string,
    value: string,
  ): readonly Read[] {
    return typed<Read>(this.#cache(descriptor).store.byIndex(index, value));
  }

  /** How many objects an index files under a value. Throws a `TypeError` for an index that was not declared. */
  countByIndex(descriptor: ResourceDescriptor, index: string, value: string): number {
    return this.#cache(descriptor).store.countByIndex(index, value);
  }

  /** The objects that the object with this UID controls. */
  ownedBy<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    ownerUid: string,
  ): readonly Read[] {
    return this.byIndex(descriptor, ownerUidIndex, ownerUid);
  }

  #cache(descriptor: ResourceDescriptor): KindCache {
    const cache = this.#caches.get(kindName(descriptor));
    if (cache !== undefined) return cache;
    throw new TypeError(
      `controller ${this.#controller} reads ${kindName(descriptor)}, which it has not declared: add .reads() to its builder`,
    );
  }
}

/** The store of a kind holds objects of that kind, as the server sent them or as the descriptor's projection left them. */
function typed<Read extends KubernetesObject>(objects: readonly KubernetesObject[]): readonly Read[] {
  return objects as readonly Read[];
}
