import type { KubernetesObject } from '@ordinal/client';
import { RuntimeError } from '../error.ts';
import { CacheBudget } from './budget.ts';
import { deepFreeze } from './freeze.ts';
import { keyOf, keyText } from './key.ts';
import { compareRevisions } from './revision.ts';
import { sizeOf } from './size.ts';

/** The values under which an index files an object. */
export type IndexFunction<T extends KubernetesObject = KubernetesObject> = (object: T) => readonly string[];

const none: ReadonlySet<string> = new Set();

/**
 * What happened to one object. `initial` is true for what a list brought, as opposed to a fresh change. `partial`: the former state, or for a deletion the last
 * one, is not known but for its identity, since the object was too large to be kept.
 */
export type Change<T extends KubernetesObject = KubernetesObject> =
  | {
      readonly type: 'added';
      readonly object: T;
      readonly old?: undefined;
      readonly initial: boolean;
      readonly partial?: true;
    }
  | {
      readonly type: 'updated';
      readonly object: T;
      readonly old: T;
      readonly initial: boolean;
      readonly partial?: true;
    }
  | {
      readonly type: 'deleted';
      readonly object: T;
      readonly old?: undefined;
      readonly initial: boolean;
      readonly partial?: true;
    };

/** The name of the index by the UID of the controlling owner, which every store can build. */
export const ownerUidIndex = 'ordinal.dev/owner-uid';

const byOwnerUid: IndexFunction = (object) => {
  const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
  return owner === undefined ? [] : [owner.uid];
};

/** An object that is too large to be kept. */
interface Withheld {
  readonly bytes: number;
  /** Where each index has filed it, by the index's name. */
  readonly filed: ReadonlyMap<string, readonly string[]>;
}

/**
 * The objects of one kind and selection, with their indexes. Objects are frozen when they are first read. It takes what a watch brings in any
 * order of arrival: an event never takes an object back to an older resource version. A list does, since after a restored backup it is the truth.
 *
 * An object that its budget does not admit is withheld: its identity and its place in the indexes are kept, and to read it throws a `RuntimeError`
 * (`ObjectTooLarge`). It never looks as if it were absent.
 */
export class Store {
  readonly #objects = new Map<string, KubernetesObject>();
  readonly #byNamespace = new Map<string, Set<string>>();
  readonly #sizes = new Map<string, number>();
  readonly #withheld = new Map<string, Withheld>();
  readonly #budget: CacheBudget;
  #bytes = 0;
  readonly #indexes = new Map<string, { readonly values: IndexFunction; readonly keys: Map<string, Set<string>> }>();

  /** `budget` may be shared with other stores. */
  constructor(budget = new CacheBudget()) {
    this.#budget = budget;
  }

  /** How many objects it knows, the withheld ones included. */
  get size(): number {
    return this.#objects.size;
  }

  /** How many objects are too large to be kept. */
  get withheld(): number {
    return this.#withheld.size;
  }

  /** Whether the object at a key is too large to be kept. */
  isWithheld(key: string): boolean {
    return this.#withheld.has(key);
  }

  /** About how large the objects are that it keeps, as JSON, in bytes. */
  get bytes(): number {
    return this.#bytes;
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

  /** The object at a key, frozen. Throws a `RuntimeError` for one that is withheld. */
  get(key: string): KubernetesObject | undefined {
    const object = this.#objects.get(key);
    const withheld = this.#withheld.get(key);
    if (object === undefined || withheld === undefined) return deepFreeze(object);
    throw new RuntimeError(
      'ObjectTooLarge',
      `${object.kind} ${key} takes ${withheld.bytes} bytes in the operator's cache, more than is kept of one object, or than there is room for: make it smaller`,
    );
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

  /**
   * All objects, or those in a namespace, with these labels, frozen. Those in a namespace throw a `RuntimeError` where one of them is withheld; of all, the
   * withheld ones are left out: what is in one namespace must not blind those who look at all.
   */
  *objects(namespace: string | undefined, labels: Readonly<Record<string, string>>): Iterable<KubernetesObject> {
    const wanted = Object.entries(labels);
    for (const key of this.keys(namespace)) {
      if (namespace === undefined && this.#withheld.has(key)) continue;
      const known = this.#objects.get(key)?.metadata.labels;
      // The labels of a withheld object may be what was too large: then it may be one of these.
      const isUnknown = this.#withheld.has(key) && known === undefined;
      if (!isUnknown && !wanted.every(([label, value]) => known?.[label] === value)) continue;
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

  /**
   * Takes an object in. Undefined where the store has it already in this or a newer version. `fromScratch`: versions that it has say nothing, as they may be of a history
   * that was lost: a restored API server gives the same ones out again.
   */
  put(object: KubernetesObject, initial: boolean, fromScratch = false): Change | undefined {
    const key = keyText(keyOf(object));
    const old = this.#objects.get(key);
    const wasWithheld = this.#withheld.has(key);
    if (old !== undefined && old.metadata.uid === object.metadata.uid && !fromScratch && !(initial && wasWithheld)) {
      const order = compareRevisions(object.metadata.resourceVersion, old.metadata.resourceVersion);
      if (initial ? order === 0 : order <= 0) return undefined;
    }
    // An object keeps its place among those of its namespace when it changes: the order of a list says nothing new then.
    if (old === undefined) file(this.#byNamespace, [object.metadata.namespace ?? ''], key);
    else this.#unfile(key, old);
    this.#keep(key, object);
    if (old === undefined) return { type: 'added', object, initial };
    return { type: 'updated', object, old, initial, ...(wasWithheld && { partial: true }) };
  }

  /** Takes an object out, with its last state if the watch brought one. Undefined where it was not there. */
  remove(key: string, last?: KubernetesObject): Change | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    const isPartial = last === undefined && this.#withheld.has(key);
    this.#unfile(key, old);
    unfile(this.#byNamespace, [old.metadata.namespace ?? ''], key);
    this.#objects.delete(key);
    return { type: 'deleted', object: last ?? old, initial: false, ...(isPartial && { partial: true }) };
  }

  #keep(key: string, object: KubernetesObject): void {
    const filed = new Map<string, readonly string[]>();
    for (const [name, index] of this.#indexes) {
      const values = index.values(deepFreeze(object));
      filed.set(name, values);
      file(index.keys, values, key);
    }
    const bytes = sizeOf(object);
    if (this.#budget.admits(bytes)) {
      this.#objects.set(key, object);
      this.#sizes.set(key, bytes);
      this.#count(bytes);
    } else {
      this.#objects.set(key, identityOf(object));
      this.#withheld.set(key, { bytes, filed });
    }
  }

  #unfile(key: string, old: KubernetesObject): void {
    const filed = this.#withheld.get(key)?.filed;
    for (const [name, index] of this.#indexes) unfile(index.keys, filed?.get(name) ?? index.values(old), key);
    this.#count(-(this.#sizes.get(key) ?? 0));
    this.#sizes.delete(key);
    this.#withheld.delete(key);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#budget.add(bytes);
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

/** Labels of no more than this are kept of an object that is withheld. */
const labelsBytes = 4096;

/** What is kept of an object that is too large. */
function identityOf({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp, labels = {}, ownerReferences = [] } = metadata;
  const controller = ownerReferences.find((reference) => reference.controller === true);
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
      ...(sizeOf(labels) <= labelsBytes && { labels }),
      ...(controller !== undefined && { ownerReferences: [controller] }),
    },
  };
}
