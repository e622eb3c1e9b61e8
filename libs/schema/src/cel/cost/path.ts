/**
 * From a variable to the value of an expression: `self`, then names of fields, `@items`, `@values` or `@keys`. Paths that grow out of one share its memory
 * as long as it has room, so that the one that grew last says what the others end with. cel-go's estimates depend on that, since its paths are slices;
 * what is to be taken by the same CRDs has to do the same.
 */
export class Path {
  readonly #memory: string[];
  readonly #room: number;
  readonly #length: number;

  private constructor(memory: string[], length: number, room: number) {
    this.#memory = memory;
    this.#length = length;
    this.#room = room;
  }

  /** The path of a variable. */
  static of(variable: string): Path {
    return new Path([variable], 1, 1);
  }

  /** The path with one more step; of no path, a path of this step alone. */
  static append(path: Path | undefined, step: string): Path {
    if (path === undefined) return Path.of(step);
    const at = path.#length;
    if (at < path.#room) {
      path.#memory[at] = step;
      return new Path(path.#memory, at + 1, path.#room);
    }
    return new Path([...path.#memory.slice(0, at), step], at + 1, 2 * path.#room);
  }

  /** A path of its own with one more step. */
  static copy(path: Path, step: string): Path {
    return new Path([...path.#memory.slice(0, path.#length), step], path.#length + 1, path.#length + 1);
  }

  /** The steps behind the variable. */
  get steps(): readonly string[] {
    return this.#memory.slice(1, this.#length);
  }
}
