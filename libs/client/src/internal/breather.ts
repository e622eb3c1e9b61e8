/**
 * Lets other work run while much is parsed. It counts what was parsed and not the time, so that what happens in which order does not depend on the
 * machine; 256 KiB take a few milliseconds.
 */
export class Breather {
  private parsed = 0;

  /** Whether it is time to `breathe`, after so many more characters. */
  isDue(characters: number): boolean {
    this.parsed += characters;
    return this.parsed >= breathAfter;
  }

  /** Resolves after everything else that waits has had its turn. */
  breathe(): Promise<void> {
    this.parsed = 0;
    return new Promise((resolve) => setImmediate(resolve));
  }
}

const breathAfter = 256 * 1024;
