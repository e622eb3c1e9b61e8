import type { NamedTest } from './rows.ts';

/** One mistake that a row's test has to notice: an edit of one place of one file. */
export interface RowMutation {
  /** How the row's claim begins; it is the only one of its section that begins so. */
  readonly claim: string;
  /** From the root of the workspace. */
  readonly file: string;
  /** Stands exactly once in the file; how it is broken into lines makes no difference. */
  readonly find: string;
  readonly replace: string;
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

/** The text with the mistake. Throws where the place is not there, or is there more than once: a mutation never passes in silence. */
export function mutate(text: string, { file, find, replace }: Pick<RowMutation, 'file' | 'find' | 'replace'>): string {
  const escape = (part: string): string => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const words = find.trim().split(/\s+/).map(escape);
  const exact = [...text.matchAll(new RegExp(escape(find), 'g'))];
  const places = exact.length === 1 ? exact : [...text.matchAll(new RegExp(words.join('\\s+'), 'g'))];
  const [place] = places;
  if (place === undefined || places.length > 1)
    throw new Error(`${file} has ${String(places.length)} places, and not one, for: ${find}`);
  const changed = text.slice(0, place.index) + replace + text.slice(place.index + place[0].length);
  if (changed === text) throw new Error(`${file}: the edit changes nothing: ${find}`);
  return changed;
}
