import type { Script, Word, WordPart } from './syntax.ts';
import { UnknownSyntax } from './syntax.ts';

/** A token of a script: an operator, the end of a line among them, or a word. */
export type Token =
  | { readonly kind: 'operator'; readonly text: string }
  | { readonly kind: 'word'; readonly word: Word; readonly text: string };

const operators = ['\n', '&&', '||', ';', '|', '&', '(', ')', '2>>', '2>&', '1>&', '>&', '>>', '2>', '1>', '>', '<'];
const endsWord = /[\s;&|()<>]/;

/** The tokens of a script. Nested scripts, those in `$(…)`, are read by `parse`. */
export function tokensOf(text: string, parse: (script: string) => Script): readonly Token[] {
  const reader = new Reader(text, parse);
  const tokens: Token[] = [];
  for (let token = reader.next(); token !== undefined; token = reader.next()) tokens.push(token);
  return tokens;
}

class Reader {
  readonly #text: string;
  readonly #parse: (script: string) => Script;
  #at = 0;

  constructor(text: string, parse: (script: string) => Script) {
    this.#text = text;
    this.#parse = parse;
  }

  next(): Token | undefined {
    this.#skipBlanks();
    if (this.#at >= this.#text.length) return undefined;
    const rest = this.#text.slice(this.#at);
    if (rest.startsWith('<<')) throw new UnknownSyntax('text within a script');
    const operator = operators.find((each) => rest.startsWith(each));
    if (operator === undefined) return this.#word();
    this.#at += operator.length;
    return { kind: 'operator', text: operator };
  }

  #skipBlanks(): void {
    for (;;) {
      const [blank = ''] = /^([ \t\r]|\\\n)*(#[^\n]*)?/.exec(this.#text.slice(this.#at)) ?? [];
      if (blank === '') return;
      this.#at += blank.length;
    }
  }

  #word(): Token {
    const start = this.#at;
    const parts: WordPart[] = [];
    while (this.#at < this.#text.length && !endsWord.test(this.#char())) parts.push(...this.#part());
    return { kind: 'word', word: joined(parts), text: this.#text.slice(start, this.#at) };
  }

  #char(): string {
    return this.#text[this.#at] ?? '';
  }

  #part(): readonly WordPart[] {
    const char = this.#char();
    if (char === "'") {
      const end = this.#text.indexOf("'", this.#at + 1);
      if (end < 0) throw new UnknownSyntax('a quote that does not end');
      const text = this.#text.slice(this.#at + 1, end);
      this.#at = end + 1;
      return [{ kind: 'text', text, quoted: true }];
    }
    if (char === '"') return this.#quoted();
    if (char === '$') return [this.#expansion(false)];
    if (char === '`') return [this.#backticks(false)];
    if (char === '\\') {
      this.#at += 2;
      return [{ kind: 'text', text: this.#text[this.#at - 1] ?? '', quoted: true }];
    }
    this.#at += 1;
    return [{ kind: 'text', text: char, quoted: false }];
  }

  #quoted(): readonly WordPart[] {
    const parts: WordPart[] = [{ kind: 'text', text: '', quoted: true }];
    this.#at += 1;
    while (this.#char() !== '"') {
      if (this.#at >= this.#text.length) throw new UnknownSyntax('a quote that does not end');
      if (this.#char() === '$') parts.push(this.#expansion(true));
      else if (this.#char() === '`') parts.push(this.#backticks(true));
      else {
        if (this.#char() === '\\' && /["\\$`\n]/.test(this.#text[this.#at + 1] ?? '')) this.#at += 1;
        parts.push({ kind: 'text', text: this.#char(), quoted: true });
        this.#at += 1;
      }
    }
    this.#at += 1;
    return parts;
  }

  #backticks(quoted: boolean): WordPart {
    const end = this.#text.indexOf('`', this.#at + 1);
    if (end < 0) throw new UnknownSyntax('a quote that does not end');
    const script = this.#parse(this.#text.slice(this.#at + 1, end));
    this.#at = end + 1;
    return { kind: 'output', script, quoted };
  }

  #expansion(quoted: boolean): WordPart {
    const rest = this.#text.slice(this.#at);
    if (rest.startsWith('$((')) {
      const inner = this.#enclosed('$((', '))');
      return { kind: 'arithmetic', expression: [{ kind: 'text', text: inner, quoted: true }], quoted };
    }
    if (rest.startsWith('$(')) return { kind: 'output', script: this.#parse(this.#enclosed('$(', ')')), quoted };
    const braced = /^\$\{([A-Za-z_]\w*|[?#@*0-9])(:?-([^}]*))?\}/.exec(rest);
    if (braced !== null) {
      this.#at += braced[0].length;
      const otherwise: Word | undefined =
        braced[2] === undefined ? undefined : [{ kind: 'text', text: braced[3] ?? '', quoted: true }];
      return { kind: 'variable', name: braced[1] ?? '', otherwise, quoted };
    }
    if (rest.startsWith('${')) throw new UnknownSyntax('an expansion');
    const plain = /^\$([A-Za-z_]\w*|[?$#@*!0-9])/.exec(rest);
    this.#at += plain === null ? 1 : plain[0].length;
    if (plain === null) return { kind: 'text', text: '$', quoted };
    return { kind: 'variable', name: plain[1] ?? '', quoted };
  }

  /** What stands between two marks, with the parentheses in it. */
  #enclosed(open: string, close: string): string {
    const start = this.#at + open.length;
    let depth = 0;
    for (let at = start; at < this.#text.length; at += 1) {
      if (depth === 0 && this.#text.startsWith(close, at)) {
        this.#at = at + close.length;
        return this.#text.slice(start, at);
      }
      const char = this.#text[at];
      if (char === "'" || char === '"') at = Math.max(at, this.#text.indexOf(char, at + 1));
      else if (char === '(') depth += 1;
      else if (char === ')') depth -= 1;
    }
    throw new UnknownSyntax('a parenthesis that is not closed');
  }
}

/** Neighboring texts of one kind as one. */
function joined(parts: readonly WordPart[]): Word {
  const word: WordPart[] = [];
  for (const part of parts) {
    const last = word.at(-1);
    if (part.kind === 'text' && last?.kind === 'text' && last.quoted === part.quoted)
      word[word.length - 1] = { ...last, text: last.text + part.text };
    else word.push(part);
  }
  return word;
}
