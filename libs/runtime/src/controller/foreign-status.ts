import type { KubernetesObject } from '@ordinal/client';
import { sameJson } from '@ordinal/client';
import { keyOf, keyText } from '../cache/key.ts';
import type { Change } from '../cache/store.ts';

/**
 * How long after another client has written the status of an object its key is looked at, in milliseconds. Not at once: two controllers that differ about
 * a status, as two versions may during an update, would answer each other as fast as the API server lets them.
 */
export const foreignStatusMs = 5_000;

/** What is asked of the controller. */
interface ForeignStatusOptions {
  /** Whether the key is worked on: the reply to a write of its own may still be on the way, behind the event. */
  readonly isRunning: (key: string) => boolean;
  /** Whether the controller itself has written this state of the object. */
  readonly isOwn: (key: string, object: KubernetesObject) => boolean;
  /** Called when another client has. */
  readonly found: (key: string) => void;
}

/**
 * Finds changes of a status that the controller has not made itself. Its own wake no reconcile; others must: a person may have changed it, or an earlier life of
 * the controller has written what shows only now, after a reconcile that took an older state for the present one and had nothing to write.
 */
export class ForeignStatus {
  readonly #options: ForeignStatusOptions;
  readonly #undecided = new Map<string, Change[]>();

  constructor(options: ForeignStatusOptions) {
    this.#options = options;
  }

  /** Takes in a change of the controller's own kind that wakes no reconcile otherwise. */
  notice(change: Change): void {
    if (change.type !== 'updated') return;
    const key = keyText(keyOf(change.object));
    if (!this.#options.isRunning(key)) this.#judge(key, change);
    else this.#undecided.set(key, [...(this.#undecided.get(key) ?? []), change]);
  }

  /** Work on a key has ended: every write of it has had its reply, or never gets one. */
  ended(key: string): void {
    const changes = this.#undecided.get(key) ?? [];
    this.#undecided.delete(key);
    for (const change of changes) this.#judge(key, change);
  }

  #judge(key: string, { old, object }: Change): void {
    if (this.#options.isOwn(key, object) || sameJson(statusOf(old), statusOf(object))) return;
    this.#options.found(key);
  }
}

function statusOf(object: KubernetesObject | undefined): unknown {
  return (object as { readonly status?: unknown } | undefined)?.status; // Of any kind: one without a status never differs in it.
}
