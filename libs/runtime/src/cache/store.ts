import type { KubernetesObject } from '@ordinal/client';
import { deepFreeze } from './freeze.ts';
import { keyOf, keyText } from './key.ts';
import { compareRevisions } from './revision.ts';

/** The values under which an index files an object. */
export type IndexFunction<T extends KubernetesObject = KubernetesObject> = (object: T) => readonly string[];

const none: ReadonlySet<string> = new Set();

/** How many objects are measured to estimate the size of all. */
const sampleSize = 50;

/** What happened to one object. `initial` is true for what a list brought, as opposed to a fresh change. */
export type Change<T extends KubernetesObject = KubernetesObject> =
  | { readonly type: 'added'; readonly object: T; readonly old?: undefined; readonly initial: boolean }
  | { readonly type: 'updated'; readonly object: T; readonly old: T; readonly initial: boolean }
  | { readonly type: 'deleted'; readonly object: T; readonly old?: undefined; readonly initial: boolean };

/** The name of the index by the UID of the controlling owner, which every store can build. */
export const ownerUidIndex = 'ordinal.dev/owner-uid';

const byOwnerUid: IndexFunction = (object) => {
  const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
  return owner === undefined ? [] : [owner.uid];
};

/**
 * The objects of one kind and selection, with their indexes. Objects are frozen when they are first read. It takes what a watch brings in any
 * order of arrival: an event never takes an object back to an older resource version. A list does, since after a restored backup it is the truth.
 */
export class Store {
  readonly #objects = new Map<string, KubernetesObject>();
  readonly #byNamespace = new Map<string, Set<string>>();
  readonly #indexes = new Map<string, { readonly values: IndexFunction; readonly keys: Map<string, Set<string>> }>();

  /** How many objects it holds. */
  get size(): number {
    return this.#objects.size;
  }

  /** Adds an index over what is stored and what will be. Adding the same function under the same name twice changes nothing. Throws a `TypeError` for another one. */
  addIndex(name: string, values: IndexFunction): void {
    const present = this.#indexes.get(name);
    if (present !== undefined) {
      if (present.values === values) return;
      throw new TypeError(
        `the index ${name} is declared twice with different functions: give one of them another name`,
      );
    }
    const index = { values, keys: new Map<string, Set<string>>() };
    this.#indexes.set(name, index);
    for (const [key, object] of this.#objects) file(index.keys, values(deepFreeze(object)), key);
  }

  /** The object at a key, frozen. */
  get(key: string): KubernetesObject | undefined {
    return deepFreeze(this.#objects.get(key));
  }

  /** The resource version that is stored at a key, without freezing or reading anything else. */
  revisionAt(key: string): string | undefined {
    return this.#objects.get(key)?.metadata.resourceVersion;
  }

  /** The UID that is stored at a key. */
  uidAt(key: string): string | undefined {
    return this.#objects.get(key)?.metadata.uid;
  }

  /** The keys of all objects, or of those in a namespace. */
  keys(namespace?: string): Iterable<string> {
    if (namespace === undefined) return this.#objects.keys();
    return this.#byNamespace.get(namespace) ?? [];
  }

  /** All objects, or those in a namespace, frozen. */
  *objects(namespace?: string): Iterable<KubernetesObject> {
    for (const key of this.keys(namespace)) {
      const object = this.get(key);
      if (object !== undefined) yield object;
    }
  }

  /** The objects that an index files under a value. Throws a `TypeError` for an index that was not declared. */
  byIndex(name: string, value: string): readonly KubernetesObject[] {
    const found: KubernetesObject[] = [];
    for (const key of this.#keysByIndex(name, value)) {
      const object = this.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  /** How many objects an index files under a value, in the same time however many they are. Throws a `TypeError` for an index that was not declared. */
  countByIndex(name: string, value: string): number {
    return this.#keysByIndex(name, value).size;
  }

  /** About how large the objects are as JSON, in bytes: a sample of them is measured, spread over all. */
  estimateBytes(): number {
    const step = Math.max(1, Math.floor(this.#objects.size / sampleSize));
    let measured = 0;
    let characters = 0;
    let position = 0;
    for (const object of this.#objects.values()) {
      if (position % step === 0) {
        measured += 1;
        characters += JSON.stringify(object).length;
      }
      position += 1;
    }
    return measured === 0 ? 0 : Math.round((characters / measured) * this.#objects.size);
  }

  /** Takes an object in. Undefined where the store has it already in this or a newer version. */
  put(object: KubernetesObject, initial: boolean): Change | undefined {
    const key = keyText(keyOf(object));
    const old = this.#objects.get(key);
    if (old !== undefined && old.metadata.uid === object.metadata.uid) {
      const order = compareRevisions(object.metadata.resourceVersion, old.metadata.resourceVersion);
      if (initial ? order === 0 : order <= 0) return undefined;
    }
    this.#objects.set(key, object);
    if (old === undefined) file(this.#byNamespace, [object.metadata.namespace ?? ''], key);
    for (const index of this.#indexes.values()) {
      if (old !== undefined) unfile(index.keys, index.values(old), key);
      file(index.keys, index.values(deepFreeze(object)), key);
    }
    return old === undefined ? { type: 'added', object, initial } : { type: 'updated', object, old, initial };
  }

  /** Takes an object out, with its last state if the watch brought one. Undefined where it was not there. */
  remove(key: string, last?: KubernetesObject): Change | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    this.#objects.delete(key);
    unfile(this.#byNamespace, [old.metadata.namespace ?? ''], key);
    for (const index of this.#indexes.values()) unfile(index.keys, index.values(old), key);
    return { type: 'deleted', object: last ?? old, initial: false };
  }

  #keysByIndex(name: string, value: string): ReadonlySet<string> {
    if (name === ownerUidIndex) this.addIndex(ownerUidIndex, byOwnerUid);
    const index = this.#indexes.get(name);
    if (index === undefined) throw new TypeError(`there is no index ${name}: declare it where the kind is watched`);
    return index.keys.get(value) ?? none;
  }
}

function file(index: Map<string, Set<string>>, values: readonly string[], key: string): void {
  for (const value of values) {
    const keys = index.get(value);
    if (keys === undefined) index.set(value, new Set([key]));
    else keys.add(key);
  }
}

function unfile(index: Map<string, Set<string>>, values: readonly string[], key: string): void {
  for (const value of values) {
    const keys = index.get(value);
    if (keys?.delete(key) === true && keys.size === 0) index.delete(value);
  }
}
