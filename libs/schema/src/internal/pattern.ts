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

/** About how many steps a JavaScript expression may take to fail: a few milliseconds. RE2 runs where it may be more. */
const maxSteps = 4_000_000;

/** About how many steps a search for matches may take, for which there is no RE2. */
const maxSearchSteps = 100_000_000;

/** The longest pattern that is looked at for being the same in JavaScript. */
const longestNative = 1000;

/** The longest pattern that is read: RE2 takes time for the square of it. */
const longestPattern = 10_000;

/**
 * A test with the meaning of Go's `regexp.MatchString`, on a port of RE2. What reads the same in JavaScript and
 * cannot backtrack for long runs as a JavaScript expression on short texts, which is faster.
 * Throws an Error in RE2's words when the pattern is not valid.
 */
export function compilePattern(source: string): (text: string) => boolean {
  if (source.length > longestPattern)
    throw new Error(
      `a pattern of ${String(source.length)} characters is not supported, only up to ${String(longestPattern)}`,
    );
  const native = translate(source);
  const limit = native === undefined ? 0 : Math.min(nativeLimit, Math.floor(maxSteps ** (1 / native.degree)));
  let re2: RE2JS | undefined = native === undefined ? RE2JS.compile(source) : undefined;
  return (text) =>
    native !== undefined && text.length <= limit ? native.test.test(text) : (re2 ??= RE2JS.compile(source)).test(text);
}

const classBody = String.raw`(?:[A-Za-z0-9_ .,:;/@#%&=+*?!(){}<>"'|$~^\u0080-\u{10ffff}-]|\\[.\-/\\*+?^$()\[\]{}|]|\\[dw])+`;
const charClass = new RegExp(String.raw`^\[\^?${classBody}\]`, 'u');
const literal = /^(?:[A-Za-z0-9_ ,:;/@#%&=!<>"'~\u0080-\u{10ffff}-]|\\[.\-/\\*+?^$()[\]{}|]|\\[dw]|[$^])/u;
const quantifier = /^(?:[*+?]|\{(\d+)(,(\d*))?\})/;
const opening = /^\((?:\?:)?(?!\?)/;

/** What can be said of a part of a pattern: how it may match one text in several ways. */
interface Part {
  /** How many lengths or branches are free: with a text of n characters it fails after some n^choices steps. */
  choices: number;
  /** It matches no empty text. */
  mandatory: boolean;
}

interface Group extends Part {
  /** False once an alternative of the group was over that matches an empty text. */
  alternativesMandatory: boolean;
}

interface Scan {
  out: string;
  /** The open groups, the whole pattern first. */
  readonly groups: Group[];
  /** What a quantifier would repeat: a group or a character; undefined where there is nothing to repeat. */
  last: (Part & { readonly isGroup: boolean }) | undefined;
  /** The pattern ends with a repeated character so far: nothing behind it can fail. */
  endsOpen: boolean;
}

/** A pattern in JavaScript's syntax; on a text of n characters it takes some n^degree steps at most. */
interface NativePattern {
  readonly test: RegExp;
  readonly degree: number;
}

/**
 * All matches from left to right, as Go's `FindAllString` gives them, at most `limit`. Undefined where the pattern uses
 * syntax for which only RE2 itself is exact, which does not tell where a match is, and where JavaScript might search too long.
 */
export function findMatches(source: string, text: string, limit = Infinity): string[] | undefined {
  const native = translate(source);
  if (native === undefined || text.length ** native.degree > maxSearchSteps) return undefined;
  const matches: string[] = [];
  for (const [match] of text.matchAll(new RegExp(native.test.source, 'gu'))) {
    if (matches.length >= limit) break;
    matches.push(match);
  }
  return matches;
}

/** The pattern in JavaScript's syntax, when it only uses what means the same in both; undefined otherwise. */
function translate(source: string): NativePattern | undefined {
  if (source.length > longestNative) return undefined;
  const whole = newGroup();
  const scan: Scan = { out: '', groups: [whole], last: undefined, endsOpen: false };
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
  settle(scan);
  if (scan.groups.length !== 1) return undefined;
  // A match may begin anywhere, unless the pattern says that it begins with the text.
  const starts = source.startsWith('^') && !source.includes('|') ? 0 : 1;
  const degree = whole.choices - (scan.endsOpen ? 1 : 0) + starts;
  try {
    return { test: new RegExp(scan.out, 'u'), degree: Math.max(1, degree) };
  } catch {
    return undefined;
  }
}

const newGroup = (): Group => ({ choices: 0, mandatory: false, alternativesMandatory: true });

const innermost = ({ groups }: Scan): Group => groups.at(-1) ?? newGroup();

/** Nothing repeats what came last: it counts as it is. */
function settle(scan: Scan): void {
  const group = innermost(scan);
  group.choices += scan.last?.choices ?? 0;
  group.mandatory ||= scan.last?.mandatory ?? false;
  scan.last = undefined;
}

function take(scan: Scan, token: string): boolean {
  const repeat = quantifier.exec(token);
  if (repeat !== null) return takeRepeat(scan, repeat);
  settle(scan);
  scan.endsOpen = false;
  if (opening.test(token)) scan.groups.push(newGroup());
  else if (token === ')') {
    const group = scan.groups.length === 1 ? undefined : scan.groups.pop();
    if (group === undefined) return false;
    const { choices, mandatory, alternativesMandatory } = group;
    scan.last = { choices, mandatory: mandatory && alternativesMandatory, isGroup: true };
  } else if (token === '|') {
    const group = innermost(scan);
    group.choices++;
    group.alternativesMandatory &&= group.mandatory;
    group.mandatory = false;
  } else if (token !== '^' && token !== '$') {
    scan.last = { choices: 0, mandatory: true, isGroup: false };
  }
  scan.out += jsToken(token);
  return true;
}

function takeRepeat(scan: Scan, repeat: RegExpExecArray): boolean {
  const [token, low, range, high] = repeat;
  const max = token === '?' ? 1 : range === undefined ? Number(low ?? Infinity) : Number(high || Infinity);
  const min = low === undefined ? (token === '+' ? 1 : 0) : Number(low);
  const { last } = scan;
  if (last === undefined || min > 255 || (max > 255 && max !== Infinity)) return false;
  const choices = choicesOf(last, { min, max, out: scan.out });
  if (choices === undefined) return false;
  const group = innermost(scan);
  group.choices += choices;
  group.mandatory ||= last.mandatory && min > 0;
  scan.endsOpen = !last.isGroup && scan.groups.length === 1 && min !== max;
  scan.out += token;
  scan.last = undefined;
  return true;
}

interface Repeat {
  readonly min: number;
  readonly max: number;
  /** The pattern up to the quantifier. */
  readonly out: string;
}

/**
 * The free lengths of a repeated part; undefined where there may be exponentially many. Once the length of the whole is given, `a*` has one way to match,
 * and so has a group of one length, an optional group of one free length, and a group that begins with a separator: it can only be cut at those.
 */
function choicesOf(part: NonNullable<Scan['last']>, { min, max, out }: Repeat): number | undefined {
  if (!part.isGroup) return min === max ? 0 : 1;
  if (max <= 1) {
    if (min === max) return part.choices;
    return part.mandatory ? Math.max(1, part.choices) : part.choices + 1;
  }
  if (part.choices === 0) return part.mandatory ? (min === max ? 0 : 1) : undefined;
  return part.choices === 1 && separated(out) ? 1 : undefined;
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
