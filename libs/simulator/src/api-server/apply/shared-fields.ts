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
    freeze(fields);
    this.#byText.set(text, fields);
    this.#shared.add(fields);
    return fields;
  }
}
