/** A sample of a metric. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A text as far as it is read here. */
export interface Characters {
  readonly length: number;
  charCodeAt(index: number): number;
  slice(start: number, end: number): string;
}

/** A line with more labels is none that can be read: exporters have a dozen. */
const maxLabels = 64;

const special: Readonly<Record<string, number>> = { '+Inf': Infinity, Inf: Infinity, '-Inf': -Infinity, NaN: NaN };

/**
 * The sample in a line of Prometheus' text format that begins with the metric's name; undefined where it is another metric's, or can't be read. Each character is
 * looked at a bounded number of times.
 */
export function sampleOf(line: Characters, name: string): Sample | undefined {
  const afterName = afterBlanks(line, name.length);
  const labels = new Map<string, string>();
  let at = afterName;
  if (line.charCodeAt(afterName) === code('{')) {
    const end = readLabels(line, afterName + 1, labels);
    if (end === undefined) return undefined;
    at = afterBlanks(line, end);
  } else if (afterName === name.length) return undefined;
  const end = afterWord(line, at);
  const value = numberOf(line.slice(at, end));
  return value === undefined ? undefined : { name, labels: Object.fromEntries(labels), value };
}

/** No number is longer: what is, is nothing that anyone measured. */
const longestNumber = 64;

function numberOf(text: string): number | undefined {
  if (text === '' || text.length > longestNumber) return undefined;
  const value = special[text] ?? Number(text);
  return Number.isNaN(value) && text !== 'NaN' ? undefined : value;
}

/** Reads labels behind the opening brace. The place behind the closing one; undefined where they can't be read. */
function readLabels(line: Characters, from: number, labels: Map<string, string>): number | undefined {
  for (let at = afterBlanks(line, from); ;) {
    if (line.charCodeAt(at) === code('}')) return at + 1;
    const keyEnd = afterKey(line, at);
    const quote = afterBlanks(line, afterBlanks(line, keyEnd) + 1);
    const isPair = keyEnd > at && line.charCodeAt(afterBlanks(line, keyEnd)) === code('=');
    if (!isPair || line.charCodeAt(quote) !== code('"') || labels.size === maxLabels) return undefined;
    const value = readQuoted(line, quote + 1);
    if (value === undefined) return undefined;
    labels.set(line.slice(at, keyEnd), value.text);
    at = afterBlanks(line, value.end);
    if (line.charCodeAt(at) === code(',')) at = afterBlanks(line, at + 1);
    else if (line.charCodeAt(at) !== code('}')) return undefined;
  }
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\', '"': '"', n: '\n' };

/** Reads a text behind its opening quotation mark, to behind the closing one. */
function readQuoted(line: Characters, from: number): { readonly text: string; readonly end: number } | undefined {
  const parts: string[] = [];
  for (let start = from, at = from; at < line.length; at += 1) {
    const character = line.charCodeAt(at);
    if (character === code('"')) {
      parts.push(line.slice(start, at));
      return { text: parts.join(''), end: at + 1 };
    }
    if (character !== code('\\')) continue;
    const escaped = line.slice(at + 1, at + 2);
    parts.push(line.slice(start, at), escapes[escaped] ?? `\\${escaped}`);
    at += 1;
    start = at + 1;
  }
  return undefined;
}

const code = (character: string): number => character.charCodeAt(0);

const isBlank = (character: number): boolean => character === 0x20 || character === 0x09 || character === 0x0d;

const isOfKey = (character: number): boolean =>
  (character >= 0x61 && character <= 0x7a) ||
  (character >= 0x41 && character <= 0x5a) ||
  (character >= 0x30 && character <= 0x39) ||
  character === 0x5f;

function afterBlanks(line: Characters, from: number): number {
  let at = from;
  while (at < line.length && isBlank(line.charCodeAt(at))) at += 1;
  return at;
}

function afterWord(line: Characters, from: number): number {
  let at = from;
  while (at < line.length && !isBlank(line.charCodeAt(at))) at += 1;
  return at;
}

function afterKey(line: Characters, from: number): number {
  let at = from;
  while (at < line.length && isOfKey(line.charCodeAt(at))) at += 1;
  return at;
}
