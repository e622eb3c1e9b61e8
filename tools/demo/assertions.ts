import { oneLine } from './screen.ts';

/** One thing that was asserted. */
export interface Assertion {
  readonly what: string;
  readonly holds: boolean;
  /** What was seen. */
  readonly seen: string;
}

/** What the demo asserts, and what came of it. */
export class Assertions {
  readonly #made: Assertion[] = [];

  /** Asserts something that was seen. */
  check(what: string, holds: boolean, seen: string): void {
    this.#made.push({ what, holds, seen: oneLine(seen) });
  }

  /** All of them, in the order in which they were made. */
  get made(): readonly Assertion[] {
    return this.#made;
  }

  /** Whether there are any, and all of them hold. */
  get allHold(): boolean {
    return this.#made.length > 0 && this.#made.every(({ holds }) => holds);
  }

  /** A table for people: one line each, those that do not hold marked. */
  table(): readonly string[] {
    const width = Math.max(0, ...this.#made.map(({ what }) => what.length));
    return this.#made.map(({ what, holds, seen }) => `${holds ? 'ok    ' : 'FAILED'}  ${what.padEnd(width)}  ${seen}`);
  }
}
