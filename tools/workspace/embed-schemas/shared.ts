import { parse } from 'yaml';
import { MarkerError } from './marker.ts';

const begin = /^(?<indent> *)# shared: (?<name>[\w.-]+)\s*$/;
const endText = '# shared ends here';

/** The fields that several CRDs have, as YAML, by the name that a marker gives. */
export type Fragments = ReadonlyMap<string, string>;

/**
 * The YAML with the fields of each marked fragment written again. What stands outside the markers comes back byte for byte. The comment below a marker gives the words for what is in angle
 * brackets in the fragment. A marker without an end gets one directly after its fields.
 *
 * @throws MarkerError for an unknown fragment, a word that is missing or that no field has, or an end without a beginning.
 */
export function embedFragments(yaml: string, fragments: Fragments): string {
  const lines = yaml.split('\n');
  const output: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    output.push(line);
    if (line.trim() === endText) throw new MarkerError(index + 1, `"${endText}" has no "# shared:" above it`);
    const { indent, name } = begin.exec(line)?.groups ?? {};
    if (indent === undefined || name === undefined) continue;
    const words = wordsBelow(lines, index, indent);
    const fields = fragments.get(name);
    if (fields === undefined) throw new MarkerError(index + 1, `there is no fragment ${name}`);
    const written = withWords(fields, readWords(words, indent), { name, line: index + 1 });
    output.push(...words, ...written.map((field) => (field === '' ? field : `${indent}${field}`)));
    output.push(`${indent}${endText}`);
    index = endOf(lines, index, indent) ?? index + words.length;
  }
  return output.join('\n');
}

/** The lines of the comment directly below a marker. */
function wordsBelow(lines: readonly string[], marker: number, indent: string): readonly string[] {
  const below = lines.slice(marker + 1);
  const end = below.findIndex((line) => !line.startsWith(`${indent}#   `));
  return end < 0 ? below : below.slice(0, end);
}

function readWords(comment: readonly string[], indent: string): Readonly<Record<string, string>> {
  const text = comment.map((line) => line.slice(`${indent}#   `.length)).join('\n');
  return (parse(text) ?? {}) as Readonly<Record<string, string>>; // A word is a text, or the CRD's own tests fail.
}

/** The lines of a fragment, without the comment that it begins with, and with the words of a CRD. */
function withWords(
  fields: string,
  words: Readonly<Record<string, string>>,
  { name, line }: { readonly name: string; readonly line: number },
): readonly string[] {
  const unused = new Set(Object.keys(words));
  const text = fields.trimEnd().replaceAll(/<([a-z]+)>/g, (_, word: string) => {
    const given = words[word];
    if (given === undefined) throw new MarkerError(line, `the fragment ${name} needs a word for <${word}>`);
    unused.delete(word);
    return given;
  });
  const [stray] = unused;
  if (stray !== undefined) throw new MarkerError(line, `the fragment ${name} has no <${stray}>`);
  const written = text.split('\n');
  return written.slice(written.findIndex((each) => !each.startsWith('#')));
}

/** The index of the marker's end, or undefined where it has none yet. */
function endOf(lines: readonly string[], start: number, indent: string): number | undefined {
  for (let index = start + 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (line === `${indent}${endText}`) return index;
    if (line.trim() !== '' && !line.startsWith(indent)) return undefined;
    if (begin.test(line)) return undefined;
  }
  return undefined;
}
