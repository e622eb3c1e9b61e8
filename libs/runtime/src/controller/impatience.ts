/** The pause before the second look at once, in milliseconds; it doubles from look to look. */
const firstPauseMs = 1;

/** A key that never has enough is looked at once a second. */
const longestPauseMs = 1000;

/**
 * Keys that ask to be looked at again at once, time after time. The first such look is taken at once. Without a pause before those that follow, a reconcile that
 * waits for nothing would run in a circle that no timer, no watch and no other key gets between: the process would do nothing else, until it is killed.
 */
export class Impatience {
  readonly #looks = new Map<string, number>();

  /** The pause before the next look at the key, in milliseconds, where a reconcile has asked for this one. */
  pauseOf(key: string, askedMs: number): number {
    if (askedMs >= firstPauseMs) {
      this.#looks.delete(key);
      return askedMs;
    }
    const looks = this.#looks.get(key) ?? 0;
    this.#looks.set(key, looks + 1);
    return looks === 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (looks - 1));
  }

  /** The key is content. */
  forget(key: string): void {
    this.#looks.delete(key);
  }
}
