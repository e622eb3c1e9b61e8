import type { Passage } from './passage.ts';
import { inProse, nowhere } from './words.ts';

/** What is wrong with a sentence, and what to write instead. */
export interface Finding extends Passage {
  readonly problem: string;
}

type Rule = (passage: Passage) => readonly string[];

/** The longest sentence, in words. */
const longest = 45;

const instead: Readonly<Record<string, string>> = { ...nowhere, ...inProse };
const dialect = new RegExp(
  `\\b(?:${Object.keys(instead)
    .map((word) => word.replaceAll('.', '\\.'))
    .join('|')})(?!\\w)`,
  'gi',
);

const sentences = (text: string): readonly string[] => text.split(/(?<=[.!?])\s+/);

const rules: readonly Rule[] = [
  ({ text }) =>
    [...text.matchAll(dialect)].map(([word]) => `“${word}”: write ${instead[word.toLowerCase()] ?? 'another word'}`),
  ({ text }) =>
    sentences(text)
      .map((sentence) => sentence.split(' ').length)
      .filter((words) => words > longest)
      .map((words) => `a sentence of ${String(words)} words: ${String(longest)} at most`),
  ({ text }) => [...text.matchAll(/\b([a-z]+) \1\b/gi)].map(([twice]) => `“${twice}”: a word twice`),
  ({ text }) =>
    [...text.matchAll(/\bit is (?:waited|looked|asked for)\b/gi)].map(([passive]) => `“${passive}”: say who does it`),
  ({ kind, text }) =>
    kind === 'description' && /^(?:what|whether|how|where|when|whom?|which|why)\b/i.test(text)
      ? [`a description that begins with ${text.split(' ')[0] ?? ''}: name the subject`]
      : [],
  ({ kind, text }) =>
    kind === 'description' && !/^[A-Z…[].*[.)…]$/.test(text) ? ['a description that is no sentence'] : [],
  ({ kind, text }) =>
    kind === 'description' && text.split(' ').length < 3 ? ['a description of one or two words: say of what'] : [],
  ({ kind, text }) =>
    kind === 'docstring'
      ? []
      : [...text.matchAll(/\bwill (?:be|have)\b/gi)].map(([future]) => `“${future}”: use the present tense`),
];

/** Everything that the rules of style find in a passage. */
export const findingsIn = (passage: Passage): readonly Finding[] =>
  rules.flatMap((rule) => rule(passage)).map((problem) => ({ ...passage, problem }));

/** A finding as a line: where it is, and what is wrong. */
export const lineOf = ({ file, line, problem }: Finding): string => `${file}:${String(line)}: ${problem}`;
