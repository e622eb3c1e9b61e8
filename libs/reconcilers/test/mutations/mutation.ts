/** One plausible mistake in one place of the product. */
export interface Mutation {
  readonly name: string;
  /** Below `libs/`. */
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The row of the research (S0.…) or the invariant (I…) that it breaks. */
  readonly breaks: string;
}
