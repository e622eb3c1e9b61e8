/** How many characters, bytes, items or entries a value may have, or what a call may cost: both ends count. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Where the API server's 64-bit numbers end; sums and products stop there. Beyond 2^53 numbers here are not exact, which only distinguishes large factors. */
export const unlimited = 2 ** 64;

/** Nothing is known of the size. */
export const unknownSize: Range = { min: 0, max: unlimited };

/** Exactly this size. */
export const fixed = (size: number): Range => ({ min: size, max: size });

/** `a + b`, at most {@link unlimited}. */
export const plus = (a: number, b: number): number => Math.min(a + b, unlimited);

/** `a * b`, at most {@link unlimited}. */
export const times = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : Math.min(a * b, unlimited));

/** `size * factor`, rounded up to a whole number, at most {@link unlimited}. */
export const scaled = (size: number, factor: number): number => times(1, Math.ceil(size * factor));

/** The size of two values one after the other. */
export const sumOf = (a: Range, b: Range): Range => ({ min: plus(a.min, b.min), max: plus(a.max, b.max) });

/** The size of one value for each part of the other. */
export const productOf = (a: Range, b: Range): Range => ({ min: times(a.min, b.min), max: times(a.max, b.max) });

/** The size of what is one or the other. */
export const unionOf = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });
