/** First in, first out, at the same cost however long it is: an array moves all that is left when its first entry is taken. */
export class Queue<T> {
  #coming: T[] = [];
  /** Those that are taken next, the next one last. */
  #going: T[] = [];

  /** Adds one behind all others. */
  push(entry: T): void {
    this.#coming.push(entry);
  }

  /** Takes the oldest one; undefined where there is none. */
  take(): T | undefined {
    if (this.#going.length === 0) {
      this.#going = this.#coming.reverse();
      this.#coming = [];
    }
    return this.#going.pop();
  }

  /** Drops all that are in it. */
  clear(): void {
    this.#coming = [];
    this.#going = [];
  }
}
