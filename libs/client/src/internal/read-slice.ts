/**
 * Lets other work run while much is read. It counts what was read and not the time, so that what happens in which order does not depend on the machine.
 */
export class ReadSlice {
  readonly #after: number;
  #read = 0;

  /** One that is due whenever so much was read, in whatever unit it is given: bytes, or characters. */
  constructor(after = charactersOfJson) {
    this.#after = after;
  }

  /** Whether it is time to `yieldTurn`, after so much more. */
  isDue(more: number): boolean {
    this.#read += more;
    return this.#read >= this.#after;
  }

  /** Resolves after everything else that waits has had its turn. */
  yieldTurn(): Promise<void> {
    this.#read = 0;
    return new Promise((resolve) => setImmediate(resolve));
  }
}

/** To parse so many takes a few milliseconds. */
const charactersOfJson = 256 * 1024;
