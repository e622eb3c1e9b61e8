import type { ObjectKey } from '@ordinal/client';

/**
 * A source of keys that is no watch: a webhook of a provider, a message queue, another controller. What is sent before a controller listens is not
 * kept: every key is looked at once at the start anyway.
 */
export class Channel {
  readonly #listeners = new Set<(key: ObjectKey) => void>();

  /** Wakes the controllers that were built with this channel. */
  send(key: ObjectKey): void {
    for (const listener of this.#listeners) listener(key);
  }

  /** Calls back for each key from now on, until the returned function is called. */
  listen(listener: (key: ObjectKey) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
