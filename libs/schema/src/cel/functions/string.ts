import { quote, runeCount } from '../../internal/go-text.ts';
import { compilePattern, findMatches } from '../../internal/pattern.ts';
import { boundText } from '../cost/meter.ts';
import { CelError } from '../values/error.ts';
import { ArrayList, List } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import { global, method } from './callee.ts';
import type { Callee, Library, Named } from './callee.ts';
import { findLastText, findText, splitBy, unitsOf } from './search.ts';
import { formatText } from './string-format.ts';
import { simple } from '../compile/types.ts';

type Argument = Value | undefined;

/** Space as Go's `unicode.IsSpace` knows it. */
const blank = /^[\s\u0085]$/;
const isBlank = (text: string, at: number): boolean => text[at] !== '\ufeff' && blank.test(text[at] ?? '');

/** The text without space at its ends. */
function trimmed(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isBlank(text, from)) from += 1;
  while (to > from && isBlank(text, to - 1)) to -= 1;
  return text.slice(from, to);
}

function onTexts(apply: (text: string, other: string) => Value, result: string): Named {
  return method(
    2,
    (text, other) => (typeof text === 'string' && typeof other === 'string' ? apply(text, other) : undefined),
    result,
  );
}

const textList: Callee['result'] = () => ({ kind: 'list', item: simple('string') });

function matches(text: Argument, pattern: Argument): Value | undefined {
  if (typeof text !== 'string' || typeof pattern !== 'string') return undefined;
  try {
    return compilePattern(pattern)(text);
  } catch (error) {
    throw new CelError(error instanceof Error ? error.message : 'invalid pattern');
  }
}

function search(text: string, pattern: string, limit?: number): string[] {
  const found = findMatches(pattern, text, limit);
  if (found === undefined) throw new CelError(`find: pattern ${quote(pattern)} is not supported`);
  return found;
}

function position(index: Argument, size: number, what = 'index'): number {
  const at = Number(index);
  if (at < 0 || at > size) throw new CelError(`${what} out of range: ${String(at)}`);
  return at;
}

function indexOf(text: Argument, part: Argument, from: Argument): Value | undefined {
  if (typeof text !== 'string' || typeof part !== 'string' || (from !== undefined && typeof from !== 'bigint'))
    return undefined;
  const size = runeCount(text);
  const start = from === undefined ? 0 : position(from, size);
  if (part === '') return BigInt(start);
  const at = findText(text, part, unitsOf(text, start));
  return at === -1 ? -1n : BigInt(runeCount(text.slice(0, at)));
}

function lastIndexOf(text: Argument, part: Argument, from: Argument): Value | undefined {
  if (typeof text !== 'string' || typeof part !== 'string' || (from !== undefined && typeof from !== 'bigint'))
    return undefined;
  const size = runeCount(text);
  const start = from === undefined ? size : position(from, size);
  if (part === '') return BigInt(start);
  const at = findLastText(text, part, unitsOf(text, start));
  return at === -1 ? -1n : BigInt(runeCount(text.slice(0, at)));
}

function split(text: Argument, separator: Argument, limit: Argument): Value | undefined {
  if (typeof text !== 'string' || typeof separator !== 'string' || (limit !== undefined && typeof limit !== 'bigint'))
    return undefined;
  const parts = separator === '' ? [...text] : splitBy(text, separator);
  const max = limit === undefined || limit < 0n ? parts.length : Number(limit);
  if (max === 0) return new ArrayList([]);
  if (parts.length <= max) return new ArrayList(parts);
  return new ArrayList([...parts.slice(0, max - 1), parts.slice(max - 1).join(separator)]);
}

function replace(text: Argument, old: Argument, by: Argument, limit: Argument): Value | undefined {
  if (typeof text !== 'string' || typeof old !== 'string' || typeof by !== 'string') return undefined;
  if (limit !== undefined && typeof limit !== 'bigint') return undefined;
  const max = limit === undefined || limit < 0n ? Infinity : Number(limit);
  // Go finds the empty text before, between and after all characters.
  const gaps = old === '' ? ['', ...text, ''] : splitBy(text, old);
  boundText(text.length + Math.min(max, gaps.length - 1) * by.length);
  return gaps.reduce((out, part, i) => (i === 0 ? part : out + (i <= max ? by : old) + part));
}

function substring(text: Argument, start: Argument, end: Argument): Value | undefined {
  if (typeof text !== 'string' || typeof start !== 'bigint' || (end !== undefined && typeof end !== 'bigint'))
    return undefined;
  const characters = [...text];
  const from = position(start, characters.length);
  const to = end === undefined ? characters.length : position(end, characters.length);
  if (from > to) throw new CelError(`invalid substring range. start: ${String(from)}, end: ${String(to)}`);
  return characters.slice(from, to).join('');
}

function join(list: Argument, separator: Argument): Value | undefined {
  if (!(list instanceof List) || (separator !== undefined && typeof separator !== 'string')) return undefined;
  const items = list.items();
  return items.every((item) => typeof item === 'string') ? items.join(separator ?? '') : undefined;
}

function charAt(text: Argument, index: Argument): Value | undefined {
  if (typeof text !== 'string' || typeof index !== 'bigint') return undefined;
  const characters = [...text];
  return characters[position(index, characters.length)] ?? '';
}

/** Texts: the standard functions, Kubernetes' `find`, and version 2 of cel-go's strings. */
export const strings: Library = {
  contains: onTexts((text, part) => findText(text, part, 0) !== -1, 'bool'),
  startsWith: onTexts((text, part) => text.startsWith(part), 'bool'),
  endsWith: onTexts((text, part) => text.endsWith(part), 'bool'),
  matches: { ...method(2, matches, 'bool'), ...global(2, matches, 'bool') },
  find: onTexts((text, pattern) => search(text, pattern, 1)[0] ?? '', 'string'),
  findAll: method(
    [2, 3],
    (text, pattern, limit) => {
      if (typeof text !== 'string' || typeof pattern !== 'string' || (limit !== undefined && typeof limit !== 'bigint'))
        return undefined;
      return new ArrayList(search(text, pattern, limit === undefined || limit < 0n ? Infinity : Number(limit)));
    },
    textList,
  ),
  charAt: method(2, charAt, 'string'),
  indexOf: method([2, 3], indexOf, 'int'),
  lastIndexOf: method([2, 3], lastIndexOf, 'int'),
  join: method([1, 2], join, 'string'),
  lowerAscii: method(
    1,
    (text) => (typeof text === 'string' ? text.replace(/[A-Z]+/g, (part) => part.toLowerCase()) : undefined),
    'string',
  ),
  upperAscii: method(
    1,
    (text) => (typeof text === 'string' ? text.replace(/[a-z]+/g, (part) => part.toUpperCase()) : undefined),
    'string',
  ),
  trim: method(1, (text) => (typeof text === 'string' ? trimmed(text) : undefined), 'string'),
  replace: method([3, 4], replace, 'string'),
  split: method([2, 3], split, textList),
  substring: method([2, 3], substring, 'string'),
  format: method(
    2,
    (text, args) => (typeof text === 'string' && args instanceof List ? formatText(text, args) : undefined),
    'string',
  ),
  'strings.quote': global(1, (text) => (typeof text === 'string' ? quoteCel(text) : undefined), 'string'),
};

const quoted: Record<string, string> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quoteCel(text: string): string {
  return `"${[...text].map((character) => quoted[character] ?? character).join('')}"`;
}
