/** Something that an address of the network holds a part of. */
export interface Held {
  readonly address: string;
}

/** Of the address that holds the most, what it has held for the longest. Entries come in the order of their age. */
export function oldestOfLargest<T extends Held>(entries: Iterable<T>, sizeOf: (entry: T) => number): T | undefined {
  const oldest = new Map<string, { readonly entry: T; size: number }>();
  for (const entry of entries) {
    const known = oldest.get(entry.address);
    if (known === undefined) oldest.set(entry.address, { entry, size: sizeOf(entry) });
    else known.size += sizeOf(entry);
  }
  let largest: { readonly entry: T; readonly size: number } | undefined;
  for (const share of oldest.values()) if (largest === undefined || share.size > largest.size) largest = share;
  return largest?.entry;
}

/** A bounded amount of something: so much for each address, and twice as much in all, so that one address alone can't use up the share of another. */
export class Quota {
  readonly #perAddress: number;
  readonly #used = new Map<string, number>();
  #total = 0;

  constructor(perAddress: number) {
    this.#perAddress = perAddress;
  }

  /** How much is taken, by all together. */
  get total(): number {
    return this.#total;
  }

  /** Takes an amount; false, and nothing is taken, where it is not there. */
  take(address: string, amount: number): boolean {
    const used = (this.#used.get(address) ?? 0) + amount;
    if (used > this.#perAddress || this.#total + amount > 2 * this.#perAddress) return false;
    this.#used.set(address, used);
    this.#total += amount;
    return true;
  }

  /** Gives back what was taken. */
  give(address: string, amount: number): void {
    const left = (this.#used.get(address) ?? 0) - amount;
    if (left > 0) this.#used.set(address, left);
    else this.#used.delete(address);
    this.#total -= amount;
  }
}
