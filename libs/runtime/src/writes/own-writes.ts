import type { KubernetesObject, ObjectKey, ResourceDescriptor } from '@ordinal/client';
import { keyOf, keyText } from '../cache/key.ts';
import type { Floor, KindCache } from '../cache/kind-cache.ts';
import { labelMatcher } from '../cache/label-selector.ts';

/** Finds the cache in which a controller reads a kind; undefined for kinds that it does not read. */
export type CacheLookup = (descriptor: ResourceDescriptor) => KindCache | undefined;

/** An object that is gone. */
export interface Gone {
  readonly place: ObjectKey;
  /** Undefined: none was shown there. */
  readonly uid: string | undefined;
}

interface Written {
  readonly cache: KindCache;
  readonly floor: Floor;
  /** What the server returned for each write of the object, until the key is worked on again. */
  readonly revisions: readonly string[];
}

/**
 * What one controller has written, so that no key is reconciled on a cache that is older than its own last writes. For each object that was
 * written it keeps the revision that the server returned, as a floor: nothing is put into the cache and no event is held back, so a foreign
 * change is always seen, whichever side of the own write it stands on.
 */
export class OwnWrites {
  readonly #cacheOf: CacheLookup;
  readonly #written = new Map<string, Map<string, Written>>();
  readonly #unsettled = new Map<string, (() => Promise<void>)[]>();

  constructor(cacheOf: CacheLookup) {
    this.#cacheOf = cacheOf;
  }

  /** Notes that work on `key` wrote an object, which the server returned. */
  wrote(key: string, descriptor: ResourceDescriptor, object: KubernetesObject): void {
    const cache = this.#cacheOf(descriptor);
    if (cache === undefined) return;
    const place = keyOf(object);
    const isShown = shows(cache, object);
    cache.wrote(object, { isRemoval: isRemoved(object), isShown });
    if (!isShown) return;
    this.#keep(key, cache, {
      key: place,
      revision: object.metadata.resourceVersion,
      listsBegun: cache.listsBegun(place),
    });
  }

  /** The UID of the object that the cache shows in a place now; undefined where there is none, or the kind is not read. */
  shownAt(descriptor: ResourceDescriptor, place: ObjectKey): string | undefined {
    return this.#cacheOf(descriptor)?.store.uidAt(keyText(place));
  }

  /**
   * Notes that the object is gone which the cache showed in that place when the write was sent. By the time of the reply another one of that name may be there
   * already, as a StatefulSet makes it: that one is not waited for.
   */
  gone(key: string, descriptor: ResourceDescriptor, { place, uid }: Gone): void {
    const cache = this.#cacheOf(descriptor);
    if (cache === undefined || uid === undefined) return;
    this.#keep(key, cache, { key: place, goneUid: uid, listsBegun: cache.listsBegun(place) });
  }

  /** Whether the last work on `key` has brought the object into this state. */
  isOwn(key: string, descriptor: ResourceDescriptor, object: KubernetesObject): boolean {
    const cache = this.#cacheOf(descriptor);
    if (cache === undefined) return false;
    const written = this.#written.get(key)?.get(nameIn(cache, keyOf(object)));
    return written?.revisions.includes(object.metadata.resourceVersion) ?? false;
  }

  /** Notes that the outcome of a write is unknown: `settle` has to find out before the key is worked on again. */
  uncertain(key: string, settle: () => Promise<void>): void {
    const unsettled = this.#unsettled.get(key);
    if (unsettled === undefined) this.#unsettled.set(key, [settle]);
    else unsettled.push(settle);
  }

  /** Finds out what became of writes whose reply was lost. Rejects where that can't be found out now; then nothing is forgotten. */
  async settle(key: string): Promise<void> {
    for (;;) {
      const [next] = this.#unsettled.get(key) ?? [];
      if (next === undefined) return;
      await next();
      const rest = (this.#unsettled.get(key) ?? []).filter((one) => one !== next);
      if (rest.length === 0) this.#unsettled.delete(key);
      else this.#unsettled.set(key, rest);
    }
  }

  /** Whether there are writes of unknown outcome. */
  isUncertain(key: string): boolean {
    return this.#unsettled.has(key);
  }

  /** Forgets everything but the writes whose outcome is unknown: what was written before the store was restored may never be seen. */
  forget(): void {
    this.#written.clear();
  }

  /** Whether every cache shows all that work on this key has written. */
  visible(key: string): boolean {
    const written = this.#written.get(key);
    if (written === undefined) return true;
    for (const [object, { cache, floor }] of written) if (cache.reached(floor)) written.delete(object);
    if (written.size > 0) return false;
    this.#written.delete(key);
    return true;
  }

  /** Calls back once, when every cache shows all that work on this key has written. */
  whenVisible(key: string, action: () => void): void {
    for (const { cache, floor } of this.#written.get(key)?.values() ?? []) {
      if (cache.reached(floor)) continue;
      cache.whenReached(floor, () => this.whenVisible(key, action));
      return;
    }
    action();
  }

  #keep(key: string, cache: KindCache, floor: Floor): void {
    const object = nameIn(cache, floor.key);
    const written = this.#written.get(key) ?? new Map<string, Written>();
    const { revisions = [] } = written.get(object) ?? {};
    const { revision } = floor;
    written.set(object, { cache, floor, revisions: revision === undefined ? revisions : [...revisions, revision] });
    this.#written.set(key, written);
  }
}

/** Whether the write that returned this has removed the object: it was being deleted, and nothing holds it any more. */
function isRemoved({ metadata: { deletionTimestamp, finalizers = [] } }: KubernetesObject): boolean {
  return deletionTimestamp !== undefined && finalizers.length === 0;
}

function nameIn(cache: KindCache, place: ObjectKey): string {
  return `${cache.name}/${keyText(place)}`;
}

/** Whether a cache would ever show the object: it is there, or its namespace and labels are selected. Field selectors only the server can tell. */
function shows(cache: KindCache, object: KubernetesObject): boolean {
  const place = keyOf(object);
  if (!cache.covers(place)) return false;
  if (cache.store.uidAt(keyText(place)) !== undefined) return true;
  if (cache.selection.fieldSelector !== undefined) return false;
  return labelMatcher(cache.selection.labelSelector ?? '')(object.metadata.labels ?? {});
}
