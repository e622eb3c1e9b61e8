/** A look that is under way or about to begin, and for how many. */
interface Shared<T> {
  readonly found: PromiseWithResolvers<T>;
  readonly stop: AbortController;
  asking: number;
}

/**
 * Looks at something by its key, for many that ask at the same time.
 *
 * **Guarantees.** What is found was looked at after it was asked for. At most one look of a key is under way: all that ask meanwhile share the next one. A look for which no
 * request waits any more is aborted, or does not begin.
 */
export class SharedLooks<T> {
  readonly #look: (key: string, signal: AbortSignal) => Promise<T>;
  readonly #next = new Map<string, Shared<T>>();
  readonly #underWay = new Set<string>();

  constructor(look: (key: string, signal: AbortSignal) => Promise<T>) {
    this.#look = look;
  }

  /** What is found by a look that has not begun yet. Rejects as soon as the signal is aborted. */
  async ask(key: string, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const shared = this.#next.get(key) ?? { found: Promise.withResolvers<T>(), stop: new AbortController(), asking: 0 };
    shared.asking += 1;
    const mine = Promise.withResolvers<T>();
    const abort = (): void => mine.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    shared.found.promise.then(mine.resolve, mine.reject);
    this.#next.set(key, shared);
    if (!this.#underWay.has(key)) void this.#run(key);
    try {
      return await mine.promise;
    } finally {
      signal.removeEventListener('abort', abort);
      shared.asking -= 1;
      if (shared.asking === 0) {
        shared.stop.abort(new Error('no request waits for it any more'));
        if (this.#next.get(key) === shared) this.#next.delete(key);
      }
    }
  }

  /** Looks for as long as it is asked. Never rejects. */
  async #run(key: string): Promise<void> {
    this.#underWay.add(key);
    for (let shared = this.#next.get(key); shared !== undefined; shared = this.#next.get(key)) {
      this.#next.delete(key);
      const { resolve, reject } = shared.found;
      await this.#look(key, shared.stop.signal).then(resolve, reject);
    }
    this.#underWay.delete(key);
  }
}
