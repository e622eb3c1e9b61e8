import type { KubernetesObject, ObjectKey } from '@ordinal/client';
import { keyOf, keyText } from './key.ts';
import { compareRevisions, isOlder } from './revision.ts';

/** A write of our own, as the server has answered it. */
export interface OwnWrite {
  readonly key: ObjectKey;
  readonly revision: string;
  /** What the server returned, as far as the cache keeps it. */
  readonly object: KubernetesObject;
  /** The write removed the object: it took the last finalizer from one that was being deleted. */
  readonly isRemoval: boolean;
  /** Whether the cache shows such an object. One that its selection leaves out is never brought, neither by a list nor by the watch. */
  readonly isShown: boolean;
}

/** The writes of our own that were answered, and not seen, when a list began; held against what the list brings. */
export class AwaitedWrites {
  /** All of them, by the key of their object. */
  readonly writes: ReadonlyMap<string, OwnWrite>;
  readonly #unlisted: Map<string, OwnWrite>;

  constructor(writes: ReadonlyMap<string, OwnWrite>) {
    this.writes = new Map(writes);
    this.#unlisted = new Map(writes);
  }

  /** Notes an object of the list. Answers whether it is older than our own write of it: then the store was restored, as no list brings that within one history. */
  listed(object: KubernetesObject): boolean {
    const key = keyText(keyOf(object));
    const write = this.#unlisted.get(key);
    this.#unlisted.delete(key);
    return isOlder(object.metadata.resourceVersion, write?.revision);
  }

  /** The objects whose last write removed nothing and that the list did not bring. Whether they were deleted or lost is unknown: any client may delete an object. */
  get missing(): readonly KubernetesObject[] {
    return [...this.#unlisted.values()].filter(({ isRemoval }) => !isRemoval).map(({ object }) => object);
  }
}

/**
 * The writes of our own of one kind that neither a list nor the watch has come to yet: the last one of each object. There are no more of them than objects that are
 * written between two signs of life of the watch.
 */
export class UnseenWrites {
  readonly #byKey = new Map<string, OwnWrite>();
  /** The revision that lists and watch have come to. */
  #seen: string | undefined;

  /** Forgets them all, and what was seen. */
  forget(): void {
    this.#byKey.clear();
    this.#seen = undefined;
  }

  /** Notes one. It may be seen already: a watch can be faster than the reply to a write. */
  wrote(write: OwnWrite): void {
    if (this.#isSeen(write)) return;
    const key = keyText(write.key);
    const before = this.#byKey.get(key);
    if (before !== undefined && isOlder(write.revision, before.revision)) return;
    this.#byKey.set(key, write);
  }

  /** Notes that a list or the watch has come to a revision. */
  saw(revision: string): void {
    this.#seen = revision;
    for (const [key, write] of this.#byKey) if (this.#isSeen(write)) this.#byKey.delete(key);
  }

  /**
   * Notes that the list is complete for which these were awaited. Each was answered before the list began, so the list shows it also where revisions are no numbers, and
   * so can't be compared. Later writes of the same objects stay.
   */
  settle({ writes }: Pick<AwaitedWrites, 'writes'>): void {
    for (const [key, write] of writes) if (this.#byKey.get(key) === write) this.#byKey.delete(key);
  }

  /** The one with the latest revision. */
  get newest(): OwnWrite | undefined {
    let newest: OwnWrite | undefined;
    for (const write of this.#byKey.values())
      if (newest === undefined || isOlder(newest.revision, write.revision)) newest = write;
    return newest;
  }

  /** Those that a list which begins now has to show. */
  awaited(): AwaitedWrites {
    return new AwaitedWrites(this.#byKey);
  }

  #isSeen({ revision }: OwnWrite): boolean {
    return this.#seen !== undefined && compareRevisions(this.#seen, revision) >= 0;
  }
}
