import type { KubernetesObject, KubernetesObjectInput, ObjectKey, ResourceDescriptor } from '@ordinal/client';
import type { CacheReader } from '../reconciler.ts';
import type { Notes } from './notes.ts';

/** Reads from the caches as before, and notes what was looked for and what was there. */
export class NotingReader implements CacheReader {
  readonly #cache: CacheReader;
  readonly #notes: Notes;

  constructor(cache: CacheReader, notes: Notes) {
    this.#cache = cache;
    this.#notes = notes;
  }

  /** As the reader that it reads from. */
  get<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    key: ObjectKey,
  ): Read | undefined {
    const found = this.#cache.get(descriptor, key);
    this.#notes.look('get', descriptor, key, found);
    return found;
  }

  /** As `get`. */
  list<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    options: NonNullable<Parameters<CacheReader['list']>[1]> = {},
  ): readonly Read[] {
    const found = this.#cache.list(descriptor, options);
    this.#notes.look('list', descriptor, options, found);
    return found;
  }

  /** As `get`. */
  byIndex<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    index: string,
    value: string,
  ): readonly Read[] {
    const found = this.#cache.byIndex(descriptor, index, value);
    this.#notes.look('index', descriptor, [index, value], found);
    return found;
  }

  /** As `get`. */
  countByIndex(descriptor: ResourceDescriptor, index: string, value: string): number {
    const count = this.#cache.countByIndex(descriptor, index, value);
    this.#notes.look('count', descriptor, [index, value], count);
    return count;
  }

  /** As `get`. */
  ownedBy<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
    descriptor: ResourceDescriptor<Read, Write>,
    uid: string,
  ): readonly Read[] {
    const found = this.#cache.ownedBy(descriptor, uid);
    this.#notes.look('owned', descriptor, uid, found);
    return found;
  }
}
