/** The pause before the second look at once, in milliseconds; it doubles from look to look. */
const firstPauseMs = 1;

/** A key that never has enough is looked at once a second. */
const longestPauseMs = 1000;

/**
 * Paces keys whose reconciles ask for the next one at once, time after time. The first such look is taken at once. Without a pause before those that follow, a reconcile that
 * waits for what does not come would keep a processor busy for nothing, and in a simulation, where time passes only when nothing else is to be done, it would last forever. A key
 * that is woken by a change, or fails, meanwhile is as impatient as before: only one that waits, or is content, begins again.
 */
export class RequeueThrottle {
  readonly #looks = new Map<string, number>();

  /** A reconcile of the key has asked for another after so long. What it gets, in milliseconds, and whether this is the time to say that it goes round in a circle. */
  nextPause(key: string, askedMs: number): { readonly pauseMs: number; readonly isCircle: boolean } {
    if (askedMs >= firstPauseMs) {
      this.#looks.delete(key);
      return { pauseMs: askedMs, isCircle: false };
    }
    const looks = this.#looks.get(key) ?? 0;
    this.#looks.set(key, looks + 1);
    const pauseOf = (count: number): number => (count <= 0 ? 0 : firstPauseMs * 2 ** (count - 1));
    const isCircle = pauseOf(looks) >= longestPauseMs && pauseOf(looks - 1) < longestPauseMs;
    return { pauseMs: Math.min(longestPauseMs, pauseOf(looks)), isCircle };
  }

  /** The key is content. */
  forget(key: string): void {
    this.#looks.delete(key);
  }
}
