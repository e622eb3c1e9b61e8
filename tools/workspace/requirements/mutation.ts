import type { Edit } from '../../../verification/mutations/mutate.ts';
import type { NamedTest } from './rows.ts';

/** One mistake that a row's test has to notice. Its file is named from the root of the workspace. */
export interface RowMutation extends Edit {
  /** How the row's claim begins; it is the only one of its section that begins so. */
  readonly claim: string;
  /** Where the page names a check of the search, or a file that no test runner runs: the tests that run it, seconds long. */
  readonly tests?: readonly NamedTest[];
}

/** A row that no run of seconds can hold, and why. */
interface Exempt {
  readonly claim: string;
  readonly because: string;
}

/** The mutations of a section of the page. */
export interface SectionMutations {
  readonly section: string;
  readonly mutations: readonly RowMutation[];
  readonly exempt?: readonly Exempt[];
}
