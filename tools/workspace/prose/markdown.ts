import { lexer } from 'marked';
import type { Token, Tokens } from 'marked';

/** A block of a Markdown page, wherever it stands: in a list, a quote or a table. */
export interface Block {
  readonly token: Token;
  /** The line where it begins, counted from 1. */
  readonly line: number;
  /** The HTML comment right before it. */
  readonly comment: string | undefined;
}

/** The blocks of a page that have no blocks inside, in order. Lists, quotes and tables are taken apart. */
export function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let cursor = 0;
  const visit = (token: Token): void => {
    // What is nested has lost its indentation, so only its first line is looked for.
    const start = text.indexOf(token.raw.trim().split('\n')[0] ?? '', cursor);
    if (start >= 0) cursor = start;
    const inside = insideOf(token);
    if (inside !== undefined) return inside.forEach(visit);
    blocks.push({ token, line: text.slice(0, cursor).split('\n').length, comment: commentIn(blocks.at(-1)?.token) });
    cursor += token.raw.trim().split('\n')[0]?.length ?? 0;
  };
  lexer(text)
    .filter(({ type }) => type !== 'space')
    .forEach(visit);
  return blocks;
}

function insideOf(token: Token): readonly Token[] | undefined {
  if (token.type === 'list') return (token as Tokens.List).items.flatMap(({ tokens }) => tokens);
  if (token.type === 'blockquote') return token.tokens;
  if (token.type !== 'table') return undefined;
  const { header, rows } = token as Tokens.Table;
  return [...header, ...rows.flat()].map(({ text, tokens }) => ({ type: 'text', raw: text, text, tokens }));
}

const commentIn = (token: Token | undefined): string | undefined =>
  token?.type === 'html' ? /^<!-- (.*?) -->\s*$/.exec(token.raw)?.[1] : undefined;

/** A fenced block of code. */
interface Fence {
  readonly language: string;
  /** What the comment in the line above says: `from examples/…`. */
  readonly comment: string | undefined;
  readonly line: number;
  readonly body: string;
}

/** The fenced blocks of a page, those in lists too. */
export const fencesOf = (text: string): readonly Fence[] =>
  blocksOf(text).flatMap(({ token, line, comment }) =>
    token.type === 'code'
      ? [{ language: (token as Tokens.Code).lang ?? '', comment, line, body: `${(token as Tokens.Code).text}\n` }]
      : [],
  );
