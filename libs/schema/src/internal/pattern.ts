import { RE2JS } from '@bufbuild/re2';

/** A `pattern`: its text and its test, which compiles at the first call. */
export interface PatternTest {
  readonly source: string;
  /** True when the pattern is found in the text. Throws what {@link compilePattern} throws. */
  readonly test: (text: string) => boolean;
}

/** The pattern, compiled when it is first asked. */
export function lazyPattern(source: string): PatternTest {
  let compiled: ((text: string) => boolean) | undefined;
  return { source, test: (text) => (compiled ??= compilePattern(source))(text) };
}

/** Beyond this length (in UTF-16 units) RE2 runs, whose time is linear whatever the pattern. */
const nativeLimit = 256;

/**
 * A test with the meaning of Go's `regexp.MatchString`, on a port of RE2. What reads the same in JavaScript and
 * cannot backtrack without end runs as a JavaScript expression on short texts, which is faster.
 * Throws an Error in RE2's words when the pattern is not valid.
 */
export function compilePattern(source: string): (text: string) => boolean {
  const native = translate(source);
  let re2: RE2JS | undefined = native === undefined ? RE2JS.compile(source) : undefined;
  return (text) =>
    native !== undefined && text.length <= nativeLimit ? native.test(text) : (re2 ??= RE2JS.compile(source)).test(text);
}

const classBody = String.raw`(?:[A-Za-z0-9_ .,:;/@#%&=+*?!(){}<>"'|$~^\u0080-\u{10ffff}-]|\\[.\-/\\*+?^$()\[\]{}|]|\\[dw])+`;
const charClass = new RegExp(String.raw`^\[\^?${classBody}\]`, 'u');
const literal = /^(?:[A-Za-z0-9_ ,:;/@#%&=!<>"'~\u0080-\u{10ffff}-]|\\[.\-/\\*+?^$()[\]{}|]|\\[dw]|[$^])/u;
const quantifier = /^(?:[*+?]|\{(\d+)(,(\d*))?\})/;
const opening = /^\((?:\?:)?(?!\?)/;

interface Scan {
  out: string;
  /** For each open group: whether it can match one text in more than one way. */
  readonly groups: boolean[];
  /** There is something to repeat, and whether it is ambiguous. */
  atom: 'none' | 'plain' | 'ambiguous';
}

/**
 * All matches from left to right, as Go's `FindAllString` gives them, at most `limit`. Undefined where the pattern uses
 * syntax for which only RE2 itself is exact, which does not tell where a match is.
 */
export function findMatches(source: string, text: string, limit = Infinity): string[] | undefined {
  const native = translate(source);
  if (native === undefined) return undefined;
  const matches: string[] = [];
  for (const [match] of text.matchAll(new RegExp(native.source, 'gu'))) {
    if (matches.length >= limit) break;
    matches.push(match);
  }
  return matches;
}

/** The pattern in JavaScript's syntax, when it only uses what means the same in both; undefined otherwise. */
function translate(source: string): RegExp | undefined {
  const scan: Scan = { out: '', groups: [false], atom: 'none' };
  let rest = source;
  while (rest !== '') {
    const token = (quantifier.exec(rest) ??
      opening.exec(rest) ??
      /^[)|.]/.exec(rest) ??
      charClass.exec(rest) ??
      literal.exec(rest))?.[0];
    if (token === undefined || !take(scan, token)) return undefined;
    rest = rest.slice(token.length);
  }
  if (scan.groups.length !== 1) return undefined;
  try {
    return new RegExp(scan.out, 'u');
  } catch {
    return undefined;
  }
}

function take(scan: Scan, token: string): boolean {
  const repeat = quantifier.exec(token);
  if (repeat !== null) return takeRepeat(scan, repeat);
  if (opening.test(token)) {
    scan.groups.push(false);
    scan.atom = 'none';
  } else if (token === ')') {
    if (scan.groups.length === 1) return false;
    const ambiguous = scan.groups.pop() === true;
    if (ambiguous) markAmbiguous(scan);
    scan.atom = ambiguous ? 'ambiguous' : 'plain';
  } else if (token === '|') {
    markAmbiguous(scan);
    scan.atom = 'none';
  } else {
    scan.atom = token === '^' || token === '$' ? 'none' : 'plain';
  }
  scan.out += jsToken(token);
  return true;
}

function takeRepeat(scan: Scan, repeat: RegExpExecArray): boolean {
  const [token, low, range, high] = repeat;
  const most = token === '?' ? 1 : range === undefined ? Number(low ?? Infinity) : Number(high || Infinity);
  if (scan.atom === 'none' || Number(low ?? 0) > 255 || (most > 255 && most !== Infinity)) return false;
  if (scan.atom === 'ambiguous' && most > 1 && !separated(scan.out)) return false;
  if (range !== undefined || low === undefined) markAmbiguous(scan);
  scan.out += token;
  scan.atom = 'none';
  return true;
}

function markAmbiguous(scan: Scan): void {
  scan.groups[scan.groups.length - 1] = true;
}

function jsToken(token: string): string {
  if (token === '.') return '[^\\n]';
  if (token === '\\-') return '-';
  if (!token.startsWith('[')) return token;
  const negated = token.startsWith('[^');
  const body = token.slice(negated ? 2 : 1, -1);
  return `[${negated ? '^' : ''}${body.replace(/\\.|[()[\]{}/|]/gu, (part) => (part.length > 1 ? part : `\\${part}`))}]`;
}

/**
 * True when the group that just ended begins with a separator that nothing else in it can match, as in `(\.[a-z]+)*`:
 * then there is only one way to cut a text into repeats.
 */
function separated(out: string): boolean {
  const inner = lastGroup(out);
  const mark = /^(?:\\([./-])|([/,:;-]))/.exec(inner);
  const separator = mark?.[1] ?? mark?.[2];
  if (mark === null || separator === undefined) return false;
  const tail = inner.slice(mark[0].length);
  const classes = tail.match(/\[(?:\\.|[^\]\\])+\]/g) ?? [];
  if (classes.some((set) => new RegExp(set, 'u').test(separator))) return false;
  const others = classes.reduce((text, set) => text.replace(set, ''), tail);
  return !others.includes(separator) && !/[|^$]/.test(others);
}

function lastGroup(out: string): string {
  let depth = 0;
  for (let i = out.length - 1; i >= 0; i--) {
    const slashes = /\\*$/.exec(out.slice(0, i))?.[0].length ?? 0;
    if (slashes % 2 === 1) continue;
    if (out[i] === ')') depth++;
    if (out[i] === '(' && --depth === 0) return out.slice(i + 1, -1).replace(/^\?:/, '');
  }
  return '';
}
