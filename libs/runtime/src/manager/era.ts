/** The time from one restore of the API server's store to the next, and the work that is done in it. */
export class Era {
  readonly #ended = new AbortController();
  readonly #work = new Set<Promise<void>>();

  /** Whether the store was restored since. */
  get hasEnded(): boolean {
    return this.#ended.signal.aborted;
  }

  /** The store was restored. */
  end(reason: Error): void {
    this.#ended.abort(reason);
  }

  /** Does some work of this time. Its signal is aborted when the time is over. */
  async during(work: (ended: AbortSignal) => Promise<void>): Promise<void> {
    const working = work(this.#ended.signal);
    this.#work.add(working);
    try {
      await working;
    } finally {
      this.#work.delete(working);
    }
  }

  /** Resolves when none of its work goes on. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#work);
  }
}
