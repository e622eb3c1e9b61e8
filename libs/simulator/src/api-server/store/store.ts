import { freeze } from '../object.ts';
import type { StoredObject } from '../object.ts';

/** A change of one object, as watches see it. */
export interface Change {
  readonly revision: number;
  readonly kind: string;
  readonly key: string;
  /** Absent when the object was created by this change. */
  readonly before?: StoredObject;
  /** The object after the change; for a deletion its last state with the deletion's resourceVersion. */
  readonly after: StoredObject;
  readonly deleted: boolean;
  /** No client made this change: it is a difference between the state that was lost and an older one that the store went back to. */
  readonly restored?: true;
}

/** A list's content at one revision, in the order of keys. */
export type Snapshot = readonly (readonly [key: string, object: StoredObject])[];

/** Builds an object once its resourceVersion is known. */
export type Build = (resourceVersion: string) => StoredObject;

interface Shelf {
  readonly objects: Map<string, StoredObject>;
  history: Change[];
  /** Sorted keys; undefined when they have to be sorted again. */
  sorted: string[] | undefined;
  /** The content as it is now; undefined where it was not asked for since the last change. Pages of a list and lists in a row are read from one. */
  present: Snapshot | undefined;
  /** The revision of the last change. */
  revision: number;
}

/**
 * Where objects are kept: one counter of revisions for all kinds, the history of changes for watches that resume, and compaction that forgets it.
 * A kind is named by its `plural.group`, whatever the version; a key is `namespace/name`.
 */
export class Store {
  #revision = 1;
  #compacted = 0;
  readonly #shelves = new Map<string, Shelf>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #historyLimit: number;

  /** `historyLimit`: changes remembered for each kind before the oldest half is forgotten. */
  constructor(historyLimit = 10_000) {
    this.#historyLimit = historyLimit;
  }

  /** The revision of the latest change. */
  get revision(): number {
    return this.#revision;
  }

  /** Changes up to this revision are forgotten. */
  get compacted(): number {
    return this.#compacted;
  }

  /** An object by its kind and key, as it is now. */
  get(kind: string, key: string): StoredObject | undefined {
    return this.#shelves.get(kind)?.objects.get(key);
  }

  /** How many objects there are of a kind. */
  count(kind: string): number {
    return this.#shelves.get(kind)?.objects.size ?? 0;
  }

  /** Stores an object, new or changed, under the next revision. */
  put(kind: string, key: string, build: Build): StoredObject {
    const shelf = this.#shelf(kind);
    const before = shelf.objects.get(key);
    const after = freeze(build(String(++this.#revision)));
    if (before === undefined) shelf.sorted = undefined;
    shelf.objects.set(key, after);
    this.#record(shelf, { revision: this.#revision, kind, key, after, deleted: false, ...(before && { before }) });
    return after;
  }

  /**
   * Reads the objects of a kind in another way than they were stored in: each is from now on what `read` makes of it, in the same version. No watch hears of it, since
   * nothing was written.
   */
  reread(kind: string, read: (object: StoredObject) => StoredObject): void {
    const shelf = this.#shelf(kind);
    for (const [key, object] of shelf.objects) shelf.objects.set(key, freeze(read(object)));
    shelf.present = undefined;
  }

  /** Removes an object. `build` gives its last state, which watchers get. */
  remove(kind: string, key: string, build: Build): StoredObject {
    const shelf = this.#shelf(kind);
    const before = shelf.objects.get(key);
    const after = freeze(build(String(++this.#revision)));
    shelf.objects.delete(key);
    shelf.sorted = undefined;
    this.#record(shelf, { revision: this.#revision, kind, key, after, deleted: true, ...(before && { before }) });
    return after;
  }

  /** All objects of a kind, now. */
  snapshot(kind: string): Snapshot {
    const shelf = this.#shelf(kind);
    shelf.sorted ??= [...shelf.objects.keys()].sort();
    shelf.present ??= shelf.sorted.map((key) => [key, shelf.objects.get(key) as StoredObject] as const);
    return shelf.present;
  }

  /** All objects of a kind as they were at a revision that is not compacted. */
  snapshotAt(kind: string, revision: number): Snapshot {
    const shelf = this.#shelf(kind);
    if (shelf.revision <= revision) return this.snapshot(kind);
    const objects = new Map(shelf.objects);
    for (let index = shelf.history.length - 1; index >= 0; index -= 1) {
      const change = shelf.history[index] as Change;
      if (change.revision <= revision) break;
      if (change.before === undefined) objects.delete(change.key);
      else objects.set(change.key, change.before);
    }
    return [...objects].sort(([left], [right]) => (left < right ? -1 : 1));
  }

  /** The changes of a kind after a revision, oldest first. */
  changesSince(kind: string, revision: number): readonly Change[] {
    const { history } = this.#shelf(kind);
    let first = history.length;
    while (first > 0 && (history[first - 1] as Change).revision > revision) first -= 1;
    return history.slice(first);
  }

  /** Forgets the history up to a revision, the present one by default: what etcd's compaction does. */
  compact(revision = this.#revision): void {
    this.#compacted = Math.max(this.#compacted, revision);
    for (const shelf of this.#shelves.values())
      shelf.history = shelf.history.filter((change) => change.revision > revision);
  }

  /**
   * Goes back to the state at a revision, as etcd does when a backup of then is restored: what came later is gone, and its revisions are given out again. Listeners
   * receive the differences, when all is as it was. Throws a `RangeError` for a revision that is compacted or still to come.
   */
  restore(revision: number): void {
    if (revision < this.#compacted || revision > this.#revision)
      throw new RangeError(
        `there is no state at revision ${revision}: those from ${this.#compacted} to ${this.#revision} are known`,
      );
    const differences: Change[] = [];
    for (const [kind, shelf] of this.#shelves) {
      const lost = new Map(shelf.objects);
      const found = new Map(this.snapshotAt(kind, revision));
      for (const key of new Set([...lost.keys(), ...found.keys()]))
        differences.push(...differencesOf({ kind, key, revision }, lost.get(key), found.get(key)));
      shelf.objects.clear();
      for (const [key, object] of found) shelf.objects.set(key, object);
      shelf.history = shelf.history.filter((change) => change.revision <= revision);
      shelf.sorted = undefined;
      shelf.present = undefined;
      shelf.revision = Math.min(shelf.revision, revision);
    }
    this.#revision = revision;
    for (const change of differences) for (const listener of this.#listeners) listener(change);
  }

  /** Calls the listener with each change, synchronously. Returns how to stop that. */
  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #record(shelf: Shelf, change: Change): void {
    shelf.present = undefined;
    shelf.revision = change.revision;
    shelf.history.push(change);
    if (shelf.history.length > this.#historyLimit)
      this.compact((shelf.history[this.#historyLimit >> 1] as Change).revision);
    for (const listener of this.#listeners) listener(change);
  }

  #shelf(kind: string): Shelf {
    let shelf = this.#shelves.get(kind);
    if (shelf === undefined) {
      shelf = { objects: new Map(), history: [], sorted: undefined, present: undefined, revision: 0 };
      this.#shelves.set(kind, shelf);
    }
    return shelf;
  }
}

/** What became of one object when the store went back: another one of its name is a deletion and a creation. */
function differencesOf(
  at: Pick<Change, 'kind' | 'key' | 'revision'>,
  lost: StoredObject | undefined,
  found: StoredObject | undefined,
): readonly Change[] {
  if (lost === found) return [];
  const isSame = lost?.metadata.uid === found?.metadata.uid;
  const gone: Change[] = lost && !isSame ? [{ ...at, before: lost, after: lost, deleted: true, restored: true }] : [];
  if (found === undefined) return gone;
  return [...gone, { ...at, ...(isSame && lost && { before: lost }), after: found, deleted: false, restored: true }];
}
