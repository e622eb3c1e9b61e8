import { happens, integer, pick } from './random.ts';
import type { Random } from './random.ts';

/** Draws a text; given to the parts of an expression. */
type Draw = (random: Random) => string;

const letters = [...'abcdefghijklmnopqrstuvwxyz'];
const digits = [...'0123456789'];
const named: Record<string, readonly string[]> = {
  d: digits,
  w: [...letters, ...'ABCXYZ', ...digits, '_'],
  s: [' '],
  D: ['x', '-'],
  S: [...letters, ...digits],
  W: ['-', '.'],
};
const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));

/** The pattern uses syntax that this generator does not read. */
class NotRead extends Error {}

/**
 * A text that the pattern is likely to accept: alternatives, groups, classes and repeats are drawn at random.
 * Undefined where the pattern uses other syntax. The caller checks the text with the pattern itself.
 */
export function patternText(pattern: string, random: Random): string | undefined {
  try {
    const reader = { rest: pattern };
    const draw = alternatives(reader);
    return reader.rest === '' ? draw(random) : undefined;
  } catch (error) {
    if (error instanceof NotRead) return undefined;
    throw error;
  }
}

interface Reader {
  rest: string;
}

function take(reader: Reader, expression: RegExp): RegExpExecArray | undefined {
  const match = expression.exec(reader.rest);
  if (match === null || match.index !== 0) return undefined;
  reader.rest = reader.rest.slice(match[0].length);
  return match;
}

function alternatives(reader: Reader): Draw {
  const branches = [sequence(reader)];
  while (take(reader, /^\|/)) branches.push(sequence(reader));
  return (random) => pick(random, branches)?.(random) ?? '';
}

function sequence(reader: Reader): Draw {
  const parts: Draw[] = [];
  while (reader.rest !== '' && !/^[|)]/.test(reader.rest)) parts.push(repeated(reader));
  return (random) => parts.map((draw) => draw(random)).join('');
}

function repeated(reader: Reader): Draw {
  const draw = atom(reader);
  const mark = take(reader, /^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/);
  if (mark === undefined) return draw;
  const [, sign, low = '0', range, high] = mark;
  const min = sign === '+' ? 1 : sign === undefined ? Number(low) : 0;
  const max = sign === '?' ? 1 : sign === undefined && range === undefined ? min : high ? Number(high) : min + 4;
  return (random) => Array.from({ length: integer(random, min, Math.min(max, min + 6)) }, () => draw(random)).join('');
}

function atom(reader: Reader): Draw {
  if (take(reader, /^(?:[$^]|\\[bAz])/)) return () => '';
  if (take(reader, /^\((?:\?:|\?P?<\w+>|\?i\))?(?!\?)/)) {
    const inner = alternatives(reader);
    // `(?i)` alone closes itself.
    if (!take(reader, /^\)/)) throw new NotRead();
    return inner;
  }
  if (take(reader, /^\./)) return oneOf([...letters, ...digits]);
  if (reader.rest.startsWith('[')) return oneOf(characterClass(reader));
  const escaped = take(reader, /^\\([\s\S])/)?.[1];
  if (escaped !== undefined) return oneOf(escapedCharacters(escaped));
  const plain = take(reader, /^[^*+?{}()[\]|\\]/u)?.[0];
  if (plain === undefined) throw new NotRead();
  return () => plain;
}

function oneOf(characters: readonly string[]): Draw {
  if (characters.length === 0) throw new NotRead();
  return (random) => pick(random, characters) ?? '';
}

function escapedCharacters(char: string): readonly string[] {
  const set = Object.hasOwn(named, char) ? named[char] : undefined;
  if (set !== undefined) return set;
  if (/[A-Za-z0-9]/.test(char)) {
    const control = { n: '\n', t: '\t', r: '\r' }[char];
    if (control === undefined) throw new NotRead();
    return [control];
  }
  return [char];
}

function characterClass(reader: Reader): readonly string[] {
  const negated = take(reader, /^\[\^/) !== undefined;
  if (!negated) take(reader, /^\[/);
  const set = new Set<string>();
  let first = true;
  while (first || !take(reader, /^\]/)) {
    first = false;
    if (reader.rest === '' || reader.rest.startsWith('[:')) throw new NotRead();
    const range = take(reader, /^(\\?[^\\])-(\\?[^\]\\])/u);
    if (range !== undefined) addRange(set, range[1] ?? '', range[2] ?? '');
    else for (const char of classMember(reader)) set.add(char);
  }
  return negated ? printable.filter((char) => !set.has(char)) : [...set];
}

function classMember(reader: Reader): readonly string[] {
  const escaped = take(reader, /^\\([\s\S])/)?.[1];
  if (escaped !== undefined) return escapedCharacters(escaped);
  const plain = take(reader, /^[\s\S]/u)?.[0];
  if (plain === undefined) throw new NotRead();
  return [plain];
}

function addRange(set: Set<string>, from: string, to: string): void {
  const low = from.codePointAt(from.length - 1) ?? 0;
  const high = to.codePointAt(to.length - 1) ?? 0;
  for (let code = low; code <= high && code < low + 128; code++) set.add(String.fromCodePoint(code));
}

/** A short word, now and then with characters beyond ASCII. */
export function word(random: Random): string {
  if (happens(random, 0.03)) return pick(random, ['Zürich', '日本', 'a b', '{}', 'a"b', "it's", '😀', '<&>']) ?? '';
  return Array.from({ length: integer(random, 1, 8) }, () => pick(random, letters) ?? 'a').join('');
}
