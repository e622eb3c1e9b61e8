import type { Edit } from '../mutations/mutate.ts';

/** One plausible mistake in one place of the product. Its file is named from `libs/`. */
export interface Mutation extends Edit {
  readonly name: string;
  /** The row of the research (S0.…) or the invariant (I…) that it breaks. */
  readonly breaks: string;
}

/** The edit, with the file’s name from the root of the workspace. */
export const editOf = ({ file, find, replace }: Mutation): Edit => ({ file: `libs/${file}`, find, replace });
