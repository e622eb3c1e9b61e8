const maxLines = 10_000;

/** What a container has written in one of its lives; the last 10,000 lines. */
export class ContainerLog {
  readonly lines: string[] = [];
  #written = 0;
  #ended = false;
  #waiting: (() => void)[] = [];

  /** Takes a line in, and notifies those who follow. */
  append(line: string): void {
    this.lines.push(line);
    this.#written += 1;
    if (this.lines.length > maxLines) this.lines.shift();
    this.#wake();
  }

  /** The process has ended: nothing comes any more. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** The last `tail` lines (all, by default), then what is written from now on, until the process has ended or `signal` aborts. */
  async *follow(tail = Infinity, signal?: AbortSignal): AsyncGenerator<string> {
    const stop = (): void => this.#wake();
    signal?.addEventListener('abort', stop);
    try {
      let next = this.#written - Math.min(tail, this.lines.length);
      for (;;) {
        while (next < this.#written) {
          const gone = this.#written - this.lines.length;
          next = Math.max(next, gone) + 1;
          yield this.lines[next - 1 - gone] ?? '';
        }
        if (this.#ended || signal?.aborted === true) return;
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
