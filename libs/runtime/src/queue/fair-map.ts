/**
 * Values by key, in one line for each group of keys (a namespace). `take` goes round the lines, one value from each, and takes the oldest of a line: who has
 * added a thousand waits for a thousand turns, and who has added one for no more turns than there are lines. Every call takes the same time, however much waits.
 */
export class FairMap<Value> {
  readonly #lines = new Map<string, Map<string, Value>>();
  #size = 0;

  /** How many values wait. */
  get size(): number {
    return this.#size;
  }

  /** How many values wait in one line. */
  sizeOf(line: string): number {
    return this.#lines.get(line)?.size ?? 0;
  }

  /** The value of a key; undefined where none waits. */
  get(line: string, key: string): Value | undefined {
    return this.#lines.get(line)?.get(key);
  }

  /** Adds a value at the end of its line. One that waits already keeps its place. */
  set(line: string, key: string, value: Value): void {
    const values = this.#lines.get(line) ?? new Map<string, Value>();
    this.#lines.set(line, values);
    if (!values.has(key)) this.#size += 1;
    values.set(key, value);
  }

  /** Takes a key back. */
  delete(line: string, key: string): void {
    const values = this.#lines.get(line);
    if (values?.delete(key) !== true) return;
    this.#size -= 1;
    if (values.size === 0) this.#lines.delete(line);
  }

  /** Takes the oldest value of the line whose turn it is; that line is the last then. Undefined where nothing waits. */
  take(): { readonly key: string; readonly value: Value } | undefined {
    const line = this.#lines.entries().next();
    if (line.done === true) return undefined;
    const [name, values] = line.value;
    const first = values.entries().next();
    if (first.done === true) return undefined;
    const [key, value] = first.value;
    values.delete(key);
    this.#size -= 1;
    this.#lines.delete(name);
    if (values.size > 0) this.#lines.set(name, values);
    return { key, value };
  }

  /** Forgets everything. */
  clear(): void {
    this.#lines.clear();
    this.#size = 0;
  }
}
