/** A source of numbers in [0, 1); the same seed gives the same numbers. */
export interface Random {
  next(): number;
}

/** A small seeded generator (mulberry32); good enough for samples, not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next: () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}

/** A whole number from `low` to `high`, both included. */
export function integer(random: Random, low: number, high: number): number {
  return low + Math.floor(random.next() * (high - low + 1));
}

/** True with the given probability. */
export function happens(random: Random, probability: number): boolean {
  return random.next() < probability;
}

/** One of the items; undefined of none. */
export function pick<T>(random: Random, items: readonly T[]): T | undefined {
  return items[Math.floor(random.next() * items.length)];
}
