import type { KubernetesObject } from '@ordinal/client';
import type { Latest } from './latest.ts';
import { latestOf } from './latest.ts';
import { laterRevision } from './revision.ts';
import { UnseenWrites } from './unseen-writes.ts';
import type { AwaitedWrites, OwnWrite } from './unseen-writes.ts';

/** What a server has shown of one kind, by which it is noticed that its store was restored to an older state. */
export class Shown {
  /** The latest revision that the server has shown, lists that came to nothing included. */
  #revision: string | undefined;
  /** The latest revision that the server has returned to a write of ours: a list that begins later is no older. */
  #written: string | undefined;
  readonly #unseen = new UnseenWrites();
  #latest: Latest | undefined;

  /** The latest revision that the server can't go behind: shown, or returned to a write. */
  get revision(): string | undefined {
    return laterRevision(this.#revision, this.#written);
  }

  /** Forgets everything: what was shown may be of a history that is lost. */
  forget(): void {
    this.#revision = undefined;
    this.#written = undefined;
    this.#unseen.forget();
    this.#latest = undefined;
  }

  /** Notes a revision that the server shows. */
  saw(revision: string): void {
    this.#revision = laterRevision(this.#revision, revision);
  }

  /** Notes that a whole list, or the watch, has come to a revision: what was written until then has been seen. */
  cameTo(revision: string): void {
    this.#unseen.saw(revision);
  }

  /** Notes the object that was changed last of all; `isGone`: it was deleted. */
  sawLatest(object: KubernetesObject | undefined, isGone: boolean): void {
    this.#latest = object && latestOf(object, isGone);
  }

  /** Notes that the list is complete for which these were awaited. */
  settle(awaited: AwaitedWrites): void {
    this.#unseen.settle(awaited);
  }

  /** Notes a write of ours, which may never come by the watch where the store is restored meanwhile. */
  wrote(write: OwnWrite): void {
    this.#written = laterRevision(this.#written, write.revision);
    if (write.isShown) this.#unseen.wrote(write);
  }

  /** The writes of ours that a list which begins now has to show. */
  awaited(): AwaitedWrites {
    return this.#unseen.awaited();
  }

  /** What shows best whether the history goes on: our own last write where it was not seen yet; else the object that was changed last. */
  get latest(): Latest | undefined {
    const write = this.#unseen.newest;
    if (write === undefined) return this.#latest;
    const { name, namespace } = write.key;
    const metadata = { name, resourceVersion: write.revision, ...(namespace !== '' && { namespace }) };
    return { metadata, isGone: write.isRemoval };
  }
}
