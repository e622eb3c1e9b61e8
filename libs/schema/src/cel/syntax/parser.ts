import { CelSyntaxError } from './ast.ts';
import type { Expression, MapEntry } from './ast.ts';
import { isReserved, tokenize } from './lexer.ts';
import type { Token } from './lexer.ts';

/** Binary operators by strength, weakest first. `?:` stands below them, unary above. */
const levels = [['||'], ['&&'], ['==', '!=', '<', '<=', '>', '>=', 'in'], ['+', '-'], ['*', '/', '%']];

const mostNested = 250;

/** Reads an expression of CEL with optional syntax (`a.?b`, `a[?i]`, `[?e]`, `{?k: v}`). Throws {@link CelSyntaxError}. */
export function parse(source: string): Expression {
  const parser = new Parser(tokenize(source));
  const expression = parser.expression();
  parser.expect('end');
  return expression;
}

class Parser {
  private readonly tokens: readonly Token[];
  private at = 0;
  private depth = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  expression(): Expression {
    if (++this.depth > mostNested)
      throw new CelSyntaxError(`expression recursion limit exceeded: ${String(mostNested)}`);
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
    let left = this.binary(level + 1);
    for (;;) {
      const operator = operators.find((text) => this.take(text));
      if (operator === undefined) return left;
      left = { kind: 'call', name: operator === 'in' ? '@in' : `_${operator}_`, args: [left, this.binary(level + 1)] };
    }
  }

  private unary(): Expression {
    if (this.take('!')) return { kind: 'call', name: '!_', args: [this.unary()] };
    if (this.take('-')) {
      const token = this.peek();
      if (token.kind === 'literal' && (typeof token.value === 'bigint' || typeof token.value === 'number')) {
        this.at++;
        return this.member({ kind: 'literal', value: -token.value });
      }
      return { kind: 'call', name: '-_', args: [this.unary()] };
    }
    return this.member(this.primary());
  }

  private member(start: Expression): Expression {
    let operand = start;
    for (;;) {
      if (this.take('.')) operand = this.selection(operand);
      else if (this.take('[')) {
        const optional = this.take('?');
        operand = { kind: 'index', operand, index: this.expression(), optional };
        this.expect(']');
      } else return operand;
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
