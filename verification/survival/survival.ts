import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tokensOf } from '../mutations/fragment.ts';
import type { Position, Renamer } from './language.ts';
import { sourceOf } from '../mutations/leaves.ts';
import { globals, matchesOf } from '../mutations/match.ts';
import type { Edit } from '../mutations/mutate.ts';
import { Mutable } from '../mutations/mutate.ts';

/** What came of mutations when symbols that they speak of got other names. */
export interface Survival {
  readonly renamed: number;
  /** How many mutations stand in files that a rename changed; each counts once for each such rename. */
  readonly mutations: number;
  /** In how many of these the renamed symbol is part of what the mutation finds. */
  readonly concerned: number;
  /** Each is a mutation that a rename broke. */
  readonly faults: readonly string[];
}

/** The identifiers in the places of mutations: what a rename may break them by. */
export function symbolsOf(root: string, edits: readonly Edit[]): readonly Position[] {
  return [...Map.groupBy(edits, ({ file }) => file)].flatMap(([file, ofFile]) => {
    const source = sourceOf(readFileSync(join(root, file), 'utf8'));
    const places = ofFile.flatMap(({ find }) => matchesOf(tokensOf(find), source)).flatMap(({ spans }) => spans);
    const leaves = new Set(places.flatMap(([from, to]) => source.leaves.slice(from, to)));
    return [...leaves]
      .filter(({ isName, text }) => isName && !globals.has(text))
      .map(({ start }) => ({ file, at: start }));
  });
}

/** The options of `survive`. */
export interface Trial {
  readonly root: string;
  readonly edits: readonly Edit[];
  readonly renamer: Renamer;
  readonly symbols: readonly Position[];
}

/**
 * Renames one symbol after the other. Each time, every mutation of the files that this changes has to have its one place still, and to make the same
 * program there as when the rename comes after the mutation.
 */
export function survive({ root, edits, renamer, symbols }: Trial): Survival {
  let [renamed, mutations, concerned] = [0, 0, 0];
  const faults: string[] = [];
  const originals = new Map<string, Original>();
  const originalOf = (file: string): Original => {
    const text = originals.get(file)?.text ?? readFileSync(join(root, file), 'utf8');
    const original = originals.get(file) ?? { text, mutable: new Mutable(file, text) };
    originals.set(file, original);
    return original;
  };
  for (const [index, symbol] of symbols.entries()) {
    const { text } = originalOf(symbol.file);
    const name = `${text[symbol.at] === '#' ? '#' : ''}renamed${String(index)}`; // A private name stays one.
    const files = renamer.rename(symbol, name);
    if (files === undefined) continue;
    renamed += 1;
    const renamedFiles = new Map(
      [...files].map(([file, after]) => [file, { ...after, mutable: new Mutable(file, after.text) }]),
    );
    for (const edit of edits) {
      const after = renamedFiles.get(edit.file);
      if (after === undefined) continue;
      mutations += 1;
      try {
        const made = after.mutable.mutate(edit);
        const expected = renamedLast(edit, after.at, { original: originalOf(edit.file), renamer, name });
        if (expected === undefined) continue;
        concerned += 1;
        if (wordsOf(made) !== wordsOf(expected))
          faults.push(`${edit.file}: ${name} makes another program of: ${edit.find}`);
      } catch (error) {
        faults.push(`${name} was ${String(symbol.at)} of ${symbol.file}: ${String(error)}`);
      }
    }
  }
  return { renamed, mutations, concerned, faults };
}

interface Original {
  readonly text: string;
  readonly mutable: Mutable;
}

interface Comparison {
  readonly original: Original;
  readonly renamer: Renamer;
  readonly name: string;
}

/** The program when the mutation comes first and the rename after it; undefined where the symbol is no part of what the mutation finds. */
function renamedLast(
  edit: Edit,
  at: readonly number[],
  { original: { text, mutable }, renamer, name }: Comparison,
): string | undefined {
  const [start, end] = mutable.rangeOf(edit.find);
  if (!at.some((place) => place >= start && place < end)) return undefined;
  const mutated = mutable.mutate(edit);
  const moved = movedPlaces(at, text, mutated);
  const [place] = moved;
  if (place === undefined) return undefined;
  return renamer.while(
    { file: edit.file, text: mutated },
    () => renamer.rename({ file: edit.file, at: place }, name)?.get(edit.file)?.text,
  );
}

/** Where places of a text are in another, as far as the two are the same. */
function movedPlaces(places: readonly number[], text: string, other: string): readonly number[] {
  let [same, sameAtEnd] = [0, 0];
  while (same < text.length && text[same] === other[same]) same += 1;
  while (sameAtEnd < text.length - same && text.at(-1 - sameAtEnd) === other.at(-1 - sameAtEnd)) sameAtEnd += 1;
  const word = /^[\w$#]+/;
  return places.flatMap((place) => {
    const end = place + (word.exec(text.slice(place))?.[0].length ?? 0);
    if (end < same) return [place];
    return place > text.length - sameAtEnd ? [place + other.length - text.length] : [];
  });
}

const wordsOf = (text: string): string =>
  sourceOf(text)
    .leaves.map((leaf) => leaf.text)
    .join(' ');
