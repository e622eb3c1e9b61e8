import { runeCount } from '../../internal/go-text.ts';
import { CelSyntaxError } from './ast.ts';
import type { Expression, MapEntry, MessageField } from './ast.ts';
import { isReserved, tokenize } from './lexer.ts';
import type { Token } from './lexer.ts';

/** Binary operators by strength, weakest first. `?:` stands below them, unary above. */
const levels = [['||'], ['&&'], ['==', '!=', '<', '<=', '>', '>=', 'in'], ['+', '-'], ['*', '/', '%']];

/** How deep an expression may nest, and how many operators or members may follow each other: cel-go's limit. */
const maxNested = 250;

/** Most code points of an expression: cel-go's limit. */
const longest = 100_000;

/** Reads an expression of CEL with optional syntax (`a.?b`, `a[?i]`, `[?e]`, `{?k: v}`). Throws {@link CelSyntaxError}. */
export function parse(source: string): Expression {
  const size = source.length > longest ? runeCount(source) : 0;
  if (size > longest)
    throw new CelSyntaxError(
      `expression code point size exceeds limit: size: ${String(size)}, limit ${String(longest)}`,
    );
  const parser = new Parser(tokenize(source));
  const expression = parser.expression();
  parser.expect('end');
  return expression;
}

function bound(depth: number): void {
  if (depth > maxNested) throw new CelSyntaxError(`expression recursion limit exceeded: ${String(maxNested)}`);
}

const call = (name: string, args: readonly Expression[]): Expression => ({ kind: 'call', name, args });

/** `a && b && c && d` as a tree of little depth: there may be any number of terms. */
function balanced(name: string, terms: readonly Expression[]): Expression {
  const [first] = terms;
  if (first !== undefined && terms.length === 1) return first;
  const half = Math.ceil(terms.length / 2);
  return call(name, [balanced(name, terms.slice(0, half)), balanced(name, terms.slice(half))]);
}

class Parser {
  private readonly tokens: readonly Token[];
  private at = 0;
  private depth = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  expression(): Expression {
    bound(++this.depth);
    const condition = this.binary(0);
    let result = condition;
    if (this.take('?')) {
      const yes = this.binary(0);
      this.expect(':');
      result = { kind: 'call', name: '_?_:_', args: [condition, yes, this.expression()] };
    }
    this.depth--;
    return result;
  }

  private binary(level: number): Expression {
    const operators = levels[level];
    if (operators === undefined) return this.unary();
    const terms = [this.binary(level + 1)];
    const signs: string[] = [];
    for (;;) {
      const operator = operators.find((text) => this.take(text));
      if (operator === undefined) break;
      signs.push(operator === 'in' ? '@in' : `_${operator}_`);
      terms.push(this.binary(level + 1));
    }
    const [first] = terms;
    if (first === undefined || signs.length === 0) return first ?? this.unary();
    if (level < 2) return balanced(signs[0] ?? '', terms);
    bound(signs.length);
    return terms.slice(1).reduce((left, right, i) => call(signs[i] ?? '', [left, right]), first);
  }

  private unary(): Expression {
    const not = this.count('!');
    if (not > 0) return not % 2 === 0 ? this.member(this.primary()) : call('!_', [this.member(this.primary())]);
    const minus = this.count('-');
    if (minus === 0) return this.member(this.primary());
    const token = this.peek();
    if (
      minus === 1 &&
      token.kind === 'literal' &&
      (typeof token.value === 'bigint' || typeof token.value === 'number')
    ) {
      this.at++;
      return this.member({ kind: 'literal', value: -token.value });
    }
    const operand = this.member(this.primary());
    return minus % 2 === 0 ? operand : call('-_', [operand]);
  }

  private count(sign: string): number {
    let times = 0;
    while (this.take(sign)) times++;
    return times;
  }

  private member(start: Expression): Expression {
    let operand = start;
    for (let members = 0; ; bound(++members)) {
      if (this.take('.')) operand = this.selection(operand);
      else if (this.take('[')) {
        const optional = this.take('?');
        operand = { kind: 'index', operand, index: this.expression(), optional };
        this.expect(']');
      } else {
        const name = messageName(operand);
        if (name === undefined || !this.take('{')) return operand;
        operand = { kind: 'message', name, fields: this.fields() };
      }
    }
  }

  private selection(operand: Expression): Expression {
    const optional = this.take('?');
    const token = this.peek();
    if (token.kind !== 'identifier' && token.kind !== 'escaped') throw this.unexpected(token);
    this.at++;
    if (!optional && token.kind === 'identifier' && this.take('(')) {
      return { kind: 'call', name: token.text, target: operand, args: this.items(')') };
    }
    return { kind: 'select', operand, field: token.text, optional };
  }

  private primary(): Expression {
    const token = this.peek();
    this.at++;
    if (token.kind === 'literal') return { kind: 'literal', value: this.inRange(token.value) };
    if (token.kind === 'identifier') return this.named(token.text);
    if (token.kind === 'operator') {
      if (token.text === '(') {
        const inner = this.expression();
        this.expect(')');
        return inner;
      }
      if (token.text === '[') return this.list();
      if (token.text === '{') return this.map();
      if (token.text === '.' && this.peek().kind === 'identifier') return this.primary();
    }
    throw this.unexpected(token);
  }

  private inRange<T>(value: T): T {
    if (typeof value === 'bigint' && value >= 2n ** 63n) throw new CelSyntaxError('invalid int literal');
    return value;
  }

  private named(name: string): Expression {
    if (isReserved(name)) throw new CelSyntaxError(`reserved identifier: ${name}`);
    return this.take('(') ? { kind: 'call', name, args: this.items(')') } : { kind: 'identifier', name };
  }

  private items(close: string): Expression[] {
    const items: Expression[] = [];
    while (!this.take(close)) {
      items.push(this.expression());
      if (this.take(',')) continue;
      this.expect(close);
      break;
    }
    return items;
  }

  private list(): Expression {
    const items: { value: Expression; optional: boolean }[] = [];
    while (!this.take(']')) {
      const optional = this.take('?');
      items.push({ value: this.expression(), optional });
      if (this.take(',')) continue;
      this.expect(']');
      break;
    }
    return { kind: 'list', items };
  }

  private map(): Expression {
    const entries: MapEntry[] = [];
    while (!this.take('}')) {
      const optional = this.take('?');
      const key = this.expression();
      this.expect(':');
      entries.push({ key, value: this.expression(), optional });
      if (this.take(',')) continue;
      this.expect('}');
      break;
    }
    return { kind: 'map', entries };
  }

  private fields(): MessageField[] {
    const fields: MessageField[] = [];
    while (!this.take('}')) {
      const optional = this.take('?');
      const token = this.peek();
      if (token.kind !== 'identifier' && token.kind !== 'escaped') throw this.unexpected(token);
      this.at++;
      this.expect(':');
      fields.push({ name: token.text, value: this.expression(), optional });
      if (this.take(',')) continue;
      this.expect('}');
      break;
    }
    return fields;
  }

  private peek(): Token {
    return this.tokens[this.at] ?? { kind: 'end', text: '', at: 0 };
  }

  private take(text: string): boolean {
    const token = this.peek();
    if (token.kind !== 'operator' || token.text !== text) return false;
    this.at++;
    return true;
  }

  /** Passes an operator or the end. */
  expect(text: string): void {
    const token = this.peek();
    if (text === 'end' ? token.kind !== 'end' : !this.take(text)) throw this.unexpected(token);
  }

  private unexpected(token: Token): CelSyntaxError {
    const text = token.kind === 'end' ? 'the end' : token.kind === 'literal' ? 'a literal' : `'${token.text}'`;
    return new CelSyntaxError(`Syntax error: unexpected ${text} at offset ${String(token.at)}`);
  }
}

/** The name of a message, `Object.spec`; undefined where the expression is more than names. */
function messageName(expression: Expression): string | undefined {
  if (expression.kind === 'identifier') return expression.name;
  if (expression.kind !== 'select' || expression.optional) return undefined;
  const operand = messageName(expression.operand);
  return operand === undefined ? undefined : `${operand}.${expression.field}`;
}
