import type { ChainLink, Command, Redirection, Script, Word } from './syntax.ts';
import { UnknownSyntax } from './syntax.ts';
import type { Token } from './tokens.ts';
import { tokensOf } from './tokens.ts';

/** Reads a script. Throws `UnknownSyntax` where a real shell is needed to understand it. */
export function parseScript(text: string): Script {
  const parser = new Parser(tokensOf(text, parseScript));
  return parser.whole();
}

/** Words that begin or end something where a command is expected. */
const reserved: ReadonlySet<string> = new Set(
  ['if', 'then', 'elif', 'else', 'fi', 'while', 'until', 'for', 'in', 'do', 'done', 'case', 'esac', '{', '}'].concat(
    'function',
  ),
);
const assignment = /^([A-Za-z_]\w*)=/;

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Script {
    const script = this.#script([]);
    if (this.#at < this.#tokens.length) throw new UnknownSyntax(`'${this.#tokens[this.#at]?.text ?? ''}'`);
    return script;
  }

  /** Commands until one of the words that end them. */
  #script(ends: readonly string[]): Script {
    const entries: { command: Command; background: boolean }[] = [];
    for (;;) {
      while (this.#isOperator('\n', ';')) this.#at += 1;
      if (this.#at >= this.#tokens.length || this.#isWord(...ends) || this.#isOperator(')')) return entries;
      const command = this.#chain();
      const background = this.#isOperator('&');
      if (background) this.#at += 1;
      entries.push({ command, background });
      if (!background && this.#at < this.#tokens.length && !this.#isOperator('\n', ';', ')') && !this.#isWord(...ends))
        throw new UnknownSyntax(`'${this.#tokens[this.#at]?.text ?? ''}'`);
    }
  }

  #chain(): Command {
    const first = this.#pipe();
    const rest: ChainLink[] = [];
    while (this.#isOperator('&&', '||')) {
      const when = this.#tokens[this.#at]?.text === '&&' ? '&&' : '||';
      this.#at += 1;
      while (this.#isOperator('\n')) this.#at += 1;
      rest.push({ when, command: this.#pipe() });
    }
    return rest.length === 0 ? first : { kind: 'chain', first, rest };
  }

  #pipe(): Command {
    const negated = this.#isWord('!');
    if (negated) this.#at += 1;
    const stages = [this.#command()];
    while (this.#isOperator('|')) {
      this.#at += 1;
      stages.push(this.#command());
    }
    const [only] = stages;
    return stages.length === 1 && only !== undefined && !negated ? only : { kind: 'pipe', stages, negated };
  }

  #command(): Command {
    if (this.#isOperator('(')) {
      this.#at += 1;
      const body = this.#script([]);
      this.#expect(')');
      return { kind: 'group', body, redirections: this.#redirections() };
    }
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'word') throw new UnknownSyntax(`'${token?.text ?? 'an end'}'`);
    if (!reserved.has(token.text)) return this.#simple();
    this.#at += 1;
    switch (token.text) {
      case '{': {
        const body = this.#script(['}']);
        this.#expect('}');
        return { kind: 'group', body, redirections: this.#redirections() };
      }
      case 'if':
        return this.#choice();
      case 'while':
      case 'until': {
        const test = this.#script(['do']);
        return { kind: 'while', test, body: this.#body(), until: token.text === 'until' };
      }
      case 'for':
        return this.#loop();
      default:
        throw new UnknownSyntax(`'${token.text}'`);
    }
  }

  #choice(): Command {
    const branches: { test: Script; then: Script }[] = [];
    let otherwise: Script | undefined;
    for (let more = true; more;) {
      const test = this.#script(['then']);
      this.#expect('then');
      branches.push({ test, then: this.#script(['elif', 'else', 'fi']) });
      more = this.#isWord('elif');
      if (more) this.#at += 1;
    }
    if (this.#isWord('else')) {
      this.#at += 1;
      otherwise = this.#script(['fi']);
    }
    this.#expect('fi');
    return { kind: 'if', branches, otherwise };
  }

  #loop(): Command {
    const name = this.#tokens[this.#at]?.text ?? '';
    this.#at += 1;
    this.#expect('in');
    const words: Word[] = [];
    for (let token = this.#tokens[this.#at]; token?.kind === 'word'; token = this.#tokens[this.#at]) {
      words.push(token.word);
      this.#at += 1;
    }
    while (this.#isOperator('\n', ';')) this.#at += 1;
    return { kind: 'for', name, words, body: this.#body() };
  }

  #body(): Script {
    this.#expect('do');
    const body = this.#script(['done']);
    this.#expect('done');
    return body;
  }

  #simple(): Command {
    const assignments: (readonly [string, Word])[] = [];
    const words: Word[] = [];
    const redirections: Redirection[] = [];
    for (;;) {
      const redirection = this.#redirection();
      if (redirection !== undefined) {
        redirections.push(redirection);
        continue;
      }
      const token = this.#tokens[this.#at];
      if (token?.kind !== 'word') break;
      this.#at += 1;
      const [prefix, name] = assignment.exec(token.text) ?? [];
      if (words.length > 0 || prefix === undefined || name === undefined) words.push(token.word);
      else assignments.push([name, withoutPrefix(token.word, prefix)]);
    }
    if (words[0]?.length === 1 && this.#isOperator('(')) throw new UnknownSyntax('a function');
    return { kind: 'simple', assignments, words, redirections };
  }

  #redirections(): readonly Redirection[] {
    const redirections: Redirection[] = [];
    for (let each = this.#redirection(); each !== undefined; each = this.#redirection()) redirections.push(each);
    return redirections;
  }

  #redirection(): Redirection | undefined {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'operator' || !/[<>]/.test(token.text)) return undefined;
    const [, stream = '', operator] = /^(\d?)(<|>>|>&|>)$/.exec(token.text) ?? [];
    const target = this.#tokens[this.#at + 1];
    if (target?.kind !== 'word') throw new UnknownSyntax('a redirection');
    this.#at += 2;
    const number = operator === '<' ? 0 : stream === '2' ? 2 : 1;
    // The expression above lets nothing else through.
    return { stream: number, operator: operator as Redirection['operator'], target: target.word };
  }

  #isOperator(...texts: readonly string[]): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === 'operator' && texts.includes(token.text);
  }

  #isWord(...texts: readonly string[]): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === 'word' && texts.includes(token.text);
  }

  #expect(text: string): void {
    while (text !== ')' && this.#isOperator('\n')) this.#at += 1;
    if (this.#tokens[this.#at]?.text !== text) throw new UnknownSyntax(`'${text}' is missing`);
    this.#at += 1;
  }
}

function withoutPrefix([first, ...rest]: Word, prefix: string): Word {
  return first?.kind === 'text' ? [{ ...first, text: first.text.slice(prefix.length) }, ...rest] : [];
}
