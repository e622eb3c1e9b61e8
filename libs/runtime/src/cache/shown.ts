import type { KubernetesObject, ObjectKey } from '@ordinal/client';
import type { Latest } from './latest.ts';
import { latestOf } from './latest.ts';
import { compareRevisions } from './revision.ts';

/** A write of our own, as the server has answered it. */
export interface OwnWrite {
  readonly key: ObjectKey;
  readonly revision: string;
  /** It has removed the object: the last finalizer of one that was being deleted is gone. */
  readonly isRemoval: boolean;
}

/** The later one of two revisions, where both are known and can be compared. */
function later(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return compareRevisions(one, other) < 0 ? other : one;
}

/** Whether a revision is older than one that was known before. Where they can't be compared, it is not. */
export const isOlder = (revision: string, before: string | undefined): boolean =>
  before !== undefined && compareRevisions(revision, before) < 0;

/** What a server has shown of one kind, by which it is noticed that its store was restored to an older state. */
export class Shown {
  /** The latest revision that the server has shown, lists that came to nothing included. */
  #revision: string | undefined;
  /** The latest write of ours: a list that begins later is no older. */
  #write: OwnWrite | undefined;
  #latest: Latest | undefined;

  /** The latest revision that the server can't go behind: shown, or returned to a write. */
  get revision(): string | undefined {
    return later(this.#revision, this.#write?.revision);
  }

  /** Forgets everything: what was shown may be of a history that is lost. */
  forget(): void {
    this.#revision = undefined;
    this.#write = undefined;
    this.#latest = undefined;
  }

  /** Notes a revision that the server shows. */
  saw(revision: string): void {
    this.#revision = later(this.#revision, revision);
  }

  /** Notes the object that was changed last of all; `isGone`: it was deleted. */
  sawLatest(object: KubernetesObject | undefined, isGone: boolean): void {
    this.#latest = object && latestOf(object, isGone);
  }

  /** Notes a write of ours, which may never come by the watch where the store is restored meanwhile. */
  wrote(write: OwnWrite): void {
    if (later(this.#write?.revision, write.revision) === write.revision) this.#write = write;
  }

  /** What tells best whether the history goes on: our own last write where the watch, which has come to `revision`, has not shown it yet; else the object that was changed last. */
  latest(revision: string | undefined): { readonly state: Latest | undefined; readonly isUnseenWrite: boolean } {
    const write = this.#write;
    const isUnseen =
      write !== undefined && write.revision !== revision && later(revision, write.revision) === write.revision;
    if (!isUnseen) return { state: this.#latest, isUnseenWrite: false };
    const { name, namespace } = write.key;
    const metadata = { name, resourceVersion: write.revision, ...(namespace !== '' && { namespace }) };
    return { state: { metadata, isGone: write.isRemoval }, isUnseenWrite: true };
  }
}
