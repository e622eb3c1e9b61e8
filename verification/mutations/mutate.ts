import { edited, rolesAt } from './edit.ts';
import { tokensOf } from './fragment.ts';
import type { Source } from './leaves.ts';
import { errorsOf, sourceOf } from './leaves.ts';
import type { Match } from './match.ts';
import { globals, matchesOf } from './match.ts';

/** One plausible mistake in one place of a file: a fragment of its program, and what stands there instead. */
export interface Edit {
  readonly file: string;
  /**
   * Any run of tokens: an expression, statements, entries of an object. Formatting and comments make no difference, and names stand for whatever the file
   * calls them: it is found by its shape, its literals and its keywords.
   */
  readonly find: string;
  /** In the same names. */
  readonly replace: string;
}

/** The text of a file, parsed once however many mutations it has. */
export class Mutable {
  readonly #file: string;
  readonly #text: string;
  #source: Source | undefined;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
  }

  /**
   * The text with the mistake in it. The place is where the fragment stands with its own names, if that is one place, and else the only one that has its
   * shape. Throws where there is none or more than one, where nothing changes, and where what is left is no program: a mutation never passes in silence.
   * What is no TypeScript or JavaScript is taken as words.
   */
  mutate(edit: Fragments): string {
    const changed = this.#isProgram ? this.#mutatedProgram(edit) : this.#replaced(wordsIn(this.#text, edit.find), edit);
    if (changed === this.#text) throw this.#fault(`the edit changes nothing: ${edit.find}`);
    return changed;
  }

  /**
   * What makes a mutation unfit although it has a place today: another place that a rename could make the same, or a name that is not there. Members may be
   * of objects that other files declare: `isMember` says whether any is called so.
   */
  faultOf(edit: Fragments, isMember: (name: string) => boolean = () => true): string | undefined {
    try {
      const mutated = this.mutate(edit);
      if (!this.#isProgram) return undefined;
      const count = this.places(edit);
      if (count > 1)
        throw this.#fault(
          `${String(count)} places have this shape, and only names tell them apart; lengthen: ${edit.find}`,
        );
      const unknown = count === 0 ? [] : unknownNames(edit, this.#parsed(), { mutated, isMember });
      if (unknown.length > 0) throw this.#fault(`has no ${unknown.join(', ')}, of which this speaks: ${edit.replace}`);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** How many places have the fragment’s shape. */
  places({ find }: Pick<Edit, 'find'>): number {
    return this.#matches(find).length;
  }

  /** From where to where the fragment stands, in characters. */
  rangeOf(find: string): readonly [number, number] {
    const matches = this.#matches(find);
    if (!this.#isProgram || matches.length === 0) {
      const { start, end } = this.#only(wordsIn(this.#text, find), { find });
      return [start, end];
    }
    const { spans } = this.#only(theOwn(matches), { find });
    const { leaves } = this.#parsed();
    return [leaves[spans[0]![0]]!.start, leaves[spans.at(-1)![1] - 1]!.end];
  }

  get #isProgram(): boolean {
    return /\.[cm]?[jt]s$/.test(this.#file);
  }

  #parsed(): Source {
    return (this.#source ??= sourceOf(this.#text));
  }

  #matches(find: string): readonly Match[] {
    return matchesOf(tokensOf(find), this.#parsed());
  }

  #mutatedProgram(edit: Fragments): string {
    const matches = this.#matches(edit.find);
    if (matches.length === 0) return this.#replaced(this.#wordsInLiterals(edit.find), edit);
    const changed = edited(this.#parsed(), this.#only(theOwn(matches), edit), edit);
    const [error] = errorsOf(changed);
    if (error !== undefined) throw this.#fault(`what it leaves is no program: ${error} ${edit.replace}`);
    return changed;
  }

  /** A part of one literal, such as an alert’s expression. */
  #wordsInLiterals(words: string): readonly Range[] {
    const literals = this.#parsed().leaves.filter(({ text }) => /^["'`}]/.test(text));
    return wordsIn(this.#text, words).filter(({ start, end }) =>
      literals.some((leaf) => leaf.start <= start && end <= leaf.end),
    );
  }

  #replaced(places: readonly Range[], edit: Fragments): string {
    const { start, end } = this.#only(places, edit);
    return this.#text.slice(0, start) + edit.replace + this.#text.slice(end);
  }

  #only<Place>(places: readonly Place[], { find }: Pick<Edit, 'find'>): Place {
    const [place, ...others] = places;
    if (place === undefined || others.length > 0)
      throw this.#fault(`${String(places.length)} places, and not one, for: ${find}`);
    return place;
  }

  #fault(what: string): Error {
    return new Error(`${this.#file}: ${what}`);
  }
}

type Fragments = Pick<Edit, 'find' | 'replace'>;

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The match with the fragment’s own names, if there is one alone; else all. */
function theOwn(matches: readonly Match[]): readonly Match[] {
  const exact = matches.filter(({ isExact }) => isExact);
  return exact.length === 1 ? exact : matches;
}

/** Where these words stand, however they are broken into lines. */
function wordsIn(text: string, words: string): readonly Range[] {
  const escaped = words
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return [...text.matchAll(new RegExp(escaped.join('\\s+'), 'g'))].map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
  }));
}

interface Meaning {
  readonly mutated: string;
  readonly isMember: (name: string) => boolean;
}

/** Names that the mistake brings along and that mean nothing in the file, or as a member anywhere. */
function unknownNames({ find, replace }: Fragments, source: Source, { mutated, isMember }: Meaning): readonly string[] {
  const own = new Set(tokensOf(find).map(({ text }) => text));
  const tokens = tokensOf(replace);
  const isMeant = (name: string, at: number): boolean =>
    source.names.has(name) ||
    (rolesAt(tokens, at).includes('binding') ? globals.has(name) || types.has(name) : isMember(name));
  const brought = tokens.filter(({ text, isName }, at) => isName && !own.has(text) && !isMeant(text, at));
  if (brought.length === 0) return [];
  const { declared } = sourceOf(mutated);
  return [...new Set(brought.map(({ text }) => text))].filter((name) => !declared.has(name));
}

/** Types of the language that a mistake may speak of. */
const types: ReadonlySet<string> = new Set([
  'Partial',
  'Readonly',
  'Record',
  'ReturnType',
  'string',
  'number',
  'boolean',
]);
