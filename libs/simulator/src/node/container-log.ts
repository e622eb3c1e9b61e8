import type { Instant } from '@ordinal/client';

const maxLines = 10_000;

/** Which lines of a log are wanted, and how. */
export interface LogSelection {
  /** At most so many, the last ones; all by default. */
  readonly tail?: number;
  /** Those that were written at this time or later. */
  readonly since?: Instant;
  /** With the time at which each was written before it. */
  readonly timestamps?: boolean;
}

/** What a container has written in one of its lives; the last 10,000 lines. */
export class ContainerLog {
  readonly lines: string[] = [];
  readonly #times: Instant[] = [];
  #written = 0;
  #ended = false;
  #waiting: (() => void)[] = [];

  /** Takes a line in, and notifies those who follow. */
  append(line: string, at: Instant): void {
    this.lines.push(line);
    this.#times.push(at);
    this.#written += 1;
    if (this.lines.length > maxLines) {
      this.lines.shift();
      this.#times.shift();
    }
    this.#wake();
  }

  /** The process has ended: nothing comes any more. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** Lines that were written so far. */
  read(selection: LogSelection = {}): readonly string[] {
    const first = this.#first(selection);
    return this.lines.slice(first).map((_, index) => this.#shown(first + index, selection));
  }

  /** Lines that were written so far, then what is written from now on, until the process has ended or `signal` aborts. */
  async *follow(selection: LogSelection = {}, signal?: AbortSignal): AsyncGenerator<string> {
    const stop = (): void => this.#wake();
    signal?.addEventListener('abort', stop);
    try {
      let next = this.#written - this.lines.length + this.#first(selection);
      for (;;) {
        while (next < this.#written) {
          const gone = this.#written - this.lines.length;
          next = Math.max(next, gone) + 1;
          yield this.#shown(next - 1 - gone, selection);
        }
        if (this.#ended || signal?.aborted === true) return;
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Where the lines begin that are wanted of those that are there. */
  #first({ tail = Infinity, since = -Infinity }: LogSelection): number {
    const recent = this.#times.findIndex((at) => at >= since);
    return Math.max(0, this.lines.length - tail, recent < 0 ? this.lines.length : recent);
  }

  #shown(index: number, { timestamps }: LogSelection): string {
    const line = this.lines[index] ?? '';
    return timestamps === true ? `${new Date(this.#times[index] ?? 0).toISOString()} ${line}` : line;
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
