import { freeze } from '../object.ts';
import type { Fields } from './fields.ts';

/** Sets that are remembered; beyond that, all are forgotten and the next ones remembered again. */
const limit = 4096;

/**
 * Sets of fields that objects share. Objects of a kind that are written alike are owned alike, and the set of a small object takes more memory than
 * the object itself.
 */
export class SharedFields {
  readonly #byText = new Map<string, Fields>();
  #shared = new WeakSet<Fields>();

  /** The same set, frozen: the one object that stands for it, wherever it is kept. */
  share(fields: Fields): Fields {
    if (this.#shared.has(fields)) return fields;
    const text = JSON.stringify(fields);
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    if (this.#byText.size === limit) {
      this.#byText.clear();
      this.#shared = new WeakSet();
    }
    const shared = inOrder(fields);
    freeze(shared);
    this.#byText.set(text, shared);
    this.#shared.add(shared);
    return shared;
  }
}

/** The set with its names in the order in which the server writes them. */
const inOrder = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, inside]) => [name, inOrder(inside)]),
  );
