import { CelSyntaxError } from './ast.ts';
import type { Literal } from './ast.ts';

/** A word of the language. */
export type Token =
  | { readonly kind: 'literal'; readonly value: Literal; readonly at: number }
  | { readonly kind: 'identifier' | 'escaped' | 'operator' | 'end'; readonly text: string; readonly at: number };

const reserved = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const space = /(?:[ \t\r\n\f]+|\/\/[^\n]*)/y;
const float = /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y;
const whole = /(?:0x([0-9a-fA-F]+)|(\d+))([uU]?)/y;
const string =
  /([bB]?[rR]?|[rR][bB])("""[\s\S]*?(?<!\\)(?:\\\\)*"""|'''[\s\S]*?(?<!\\)(?:\\\\)*'''|"(?:[^"\\\r\n]|\\[\s\S])*"|'(?:[^'\\\r\n]|\\[\s\S])*')/y;
const rawString = /([bB]?[rR]|[rR][bB])("""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\r\n]*"|'[^'\r\n]*')/y;
const identifier = /[_a-zA-Z][_a-zA-Z0-9]*/y;
const escaped = /`([a-zA-Z0-9_./\- ]+)`/y;
const operator = /(?:\|\||&&|==|!=|<=|>=|[<>+\-*/%!?:.,()[\]{}])/y;

/** Splits an expression into tokens. Throws {@link CelSyntaxError}. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (expression: RegExp): RegExpExecArray | null => {
    expression.lastIndex = at;
    return expression.exec(source);
  };
  while (at < source.length) {
    const blank = match(space);
    if (blank !== null) {
      at += blank[0].length;
      continue;
    }
    const [token, length] = next(match, at);
    tokens.push(token);
    at += length;
  }
  tokens.push({ kind: 'end', text: '', at });
  return tokens;
}

type Match = (expression: RegExp) => RegExpExecArray | null;

function next(match: Match, at: number): readonly [Token, number] {
  const text = match(rawString) ?? match(string);
  if (text !== null) return [{ kind: 'literal', value: stringLiteral(text), at }, text[0].length];
  const decimal = match(float);
  if (decimal !== null) return [{ kind: 'literal', value: Number(decimal[0]), at }, decimal[0].length];
  const digits = match(whole);
  if (digits !== null) {
    const value = BigInt(digits[1] === undefined ? (digits[2] ?? '0') : `0x${digits[1]}`);
    return [{ kind: 'literal', value: digits[3] === '' ? value : { uint: value }, at }, digits[0].length];
  }
  const name = match(identifier);
  if (name !== null) return [word(name[0], at), name[0].length];
  const quoted = match(escaped);
  if (quoted !== null) return [{ kind: 'escaped', text: quoted[1] ?? '', at }, quoted[0].length];
  const sign = match(operator);
  if (sign !== null) return [{ kind: 'operator', text: sign[0], at }, sign[0].length];
  throw new CelSyntaxError(`token recognition error at offset ${String(at)}`);
}

function word(text: string, at: number): Token {
  if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true', at };
  if (text === 'null') return { kind: 'literal', value: null, at };
  if (text === 'in') return { kind: 'operator', text, at };
  return { kind: 'identifier', text, at };
}

/** True for words that name no variable. */
export function isReserved(name: string): boolean {
  return reserved.has(name);
}

function stringLiteral([, prefix = '', quoted = '']: RegExpExecArray): string | Uint8Array {
  const size = /^(?:"""|''')/.test(quoted) ? 3 : 1;
  const body = quoted.slice(size, -size).replace(/\r\n?/g, '\n');
  const bytes = /b/i.test(prefix);
  if (/r/i.test(prefix)) return bytes ? new TextEncoder().encode(body) : body;
  return bytes ? unescapeBytes(body) : unescapeText(body);
}

const shortEscapes: Record<string, string> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
};
const escapes =
  /\\(?:([abfnrtv\\'"`?])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|[\s\S]|$)/g;

function escapeCode(groups: readonly (string | undefined)[]): number | string {
  const [whole = '', short, byte, four, eight, octal] = groups;
  if (short !== undefined) return shortEscapes[short] ?? '';
  const hex = byte ?? four ?? eight;
  const code = hex === undefined ? (octal === undefined ? NaN : parseInt(octal, 8)) : parseInt(hex, 16);
  if (Number.isNaN(code) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    throw new CelSyntaxError(`invalid escape sequence ${whole}`);
  }
  return code;
}

function unescapeText(body: string): string {
  return body.replace(escapes, (...groups: string[]) => {
    const code = escapeCode(groups.slice(0, 6));
    return typeof code === 'number' ? String.fromCodePoint(code) : code;
  });
}

function unescapeBytes(body: string): Uint8Array {
  const parts: number[] = [];
  let end = 0;
  const plain = (text: string): void => {
    parts.push(...new TextEncoder().encode(text));
  };
  for (const groups of body.matchAll(escapes)) {
    plain(body.slice(end, groups.index));
    const code = escapeCode(groups);
    if (typeof code === 'string') plain(code);
    else if (groups[3] !== undefined || groups[4] !== undefined)
      throw new CelSyntaxError('unicode escapes are not allowed in bytes');
    else parts.push(code);
    end = groups.index + groups[0].length;
  }
  plain(body.slice(end));
  return Uint8Array.from(parts);
}
