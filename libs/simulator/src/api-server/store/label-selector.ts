import { labelValue, qualifiedName } from '../kinds/names.ts';

/** One requirement of a label selector. */
export interface Requirement {
  readonly key: string;
  readonly operator: 'in' | 'notin' | 'exists' | '!' | '>' | '<';
  readonly values: ReadonlySet<string>;
}

/** A selector that can't be parsed, in the server's words. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

interface Token {
  readonly kind: 'word' | 'symbol' | 'end';
  readonly text: string;
}

const symbols = /\s*(==|!=|[=,()!<>]|[^\s=,()!<>]+|$)/y;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  symbols.lastIndex = 0;
  for (let match = symbols.exec(text); match !== null; match = symbols.exec(text)) {
    const found = match[1] ?? '';
    if (found === '') break;
    tokens.push({ kind: /^[=,()!<>]/.test(found) ? 'symbol' : 'word', text: found });
  }
  return [...tokens, { kind: 'end', text: '' }];
}

const binaryOperators = 'in, notin, =, ==, !=, gt, lt';

/** Reads a `labelSelector` parameter as the server's own parser does. Throws `SelectorError`. */
export function parseLabelSelector(text: string): readonly Requirement[] {
  return new Parser(tokensOf(text)).selector();
}

class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  selector(): readonly Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const { kind, text } = this.#peek();
      if (kind === 'end') return requirements;
      if (kind !== 'word' && text !== '!')
        throw new SelectorError(`found '${text}', expected: !, identifier, or 'end of string'`);
      requirements.push(this.#requirement());
      const next = this.#take();
      if (next.kind === 'end') return requirements;
      if (next.text !== ',') throw new SelectorError(`found '${next.text}', expected: ',' or 'end of string'`);
      const following = this.#peek();
      if (following.kind !== 'word' && following.text !== '!')
        throw new SelectorError(`found '${following.text}', expected: identifier after ','`);
    }
  }

  #requirement(): Requirement {
    const negated = this.#peek().text === '!';
    if (negated) this.#take();
    const key = this.#take();
    if (key.kind !== 'word') throw unparsable(`found '${key.text}', expected: identifier`);
    const [problem] = qualifiedName(key.text);
    if (problem !== undefined) throw unparsable(`<nil>: Invalid value: ${JSON.stringify(key.text)}: ${problem}`);
    const next = this.#peek();
    if (negated) return { key: key.text, operator: '!', values: new Set() };
    if (next.kind === 'end' || next.text === ',') return { key: key.text, operator: 'exists', values: new Set() };
    return this.#relation(key.text, this.#take().text);
  }

  #relation(key: string, operator: string): Requirement {
    switch (operator) {
      case 'in':
      case 'notin':
        return { key, operator, values: checked(key, this.#list()) };
      case '=':
      case '==':
        return { key, operator: 'in', values: checked(key, new Set([this.#value()])) };
      case '!=':
        return { key, operator: 'notin', values: checked(key, new Set([this.#value()])) };
      case '<':
      case '>':
        return { key, operator, values: new Set([this.#value()]) };
      default:
        throw unparsable(`found '${operator}', expected: ${binaryOperators}`);
    }
  }

  #value(): string {
    const next = this.#peek();
    if (next.kind === 'end' || next.text === ',') return '';
    if (next.kind !== 'word') throw unparsable(`found '${next.text}', expected: identifier`);
    return this.#take().text;
  }

  #list(): Set<string> {
    const open = this.#take();
    if (open.text !== '(') throw unparsable(`found '${open.text}' expected: '('`);
    const values = new Set<string>();
    let after = '(';
    for (;;) {
      const { kind, text } = this.#take();
      if (kind === 'word') {
        values.add(text);
        const { text: next } = this.#peek();
        if (next !== ',' && next !== ')') throw unparsable(`found '${next}', expected: ',' or ')'`);
      } else if (text === ')') {
        if (after !== 'word') values.add('');
        return values;
      } else if (text === ',') {
        if (after !== 'word') values.add('');
      } else throw unparsable(`found '${text}', expected: ',', ')' or identifier`);
      after = kind === 'word' ? 'word' : text;
    }
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? { kind: 'end', text: '' };
  }

  #take(): Token {
    const token = this.#peek();
    this.#position += 1;
    return token;
  }
}

const unparsable = (why: string): SelectorError => new SelectorError(`unable to parse requirement: ${why}`);

function checked(key: string, values: Set<string>): Set<string> {
  for (const value of values) {
    const [problem] = labelValue(value);
    if (problem !== undefined)
      throw unparsable(`values[0][${key}]: Invalid value: ${JSON.stringify(value)}: ${problem}`);
  }
  return values;
}
