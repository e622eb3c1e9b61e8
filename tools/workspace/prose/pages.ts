import type { Token } from 'marked';
import { blocksOf } from './markdown.ts';
import { withoutQuotes } from './passage.ts';
import type { Passage } from './passage.ts';

/** The prose of a Markdown page: a passage for each paragraph, item, heading and cell. Code, comments and the targets of links are left out. */
export const pagePassages = (file: string, text: string): readonly Passage[] =>
  blocksOf(text).flatMap(({ token, line }) => {
    const words = token.type === 'code' ? '' : withoutQuotes(proseOf(token));
    return words === '' ? [] : [{ file, line, kind: 'page' as const, text: words }];
  });

function proseOf(token: Token): string {
  if (token.type === 'codespan') return '…';
  if (token.type === 'html' || token.type === 'br') return ' ';
  if ('tokens' in token && token.tokens !== undefined) return token.tokens.map(proseOf).join('');
  return 'text' in token ? String(token.text) : '';
}
