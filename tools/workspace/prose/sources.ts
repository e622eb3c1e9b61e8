import ts from 'typescript';
import type { Passage } from './passage.ts';
import { withoutQuotes } from './passage.ts';

/** What in a source file is read by people: its docstrings and, where users see them, the texts of its messages. */
export interface SourceOptions {
  /** Whether string literals of several words are messages that users see. */
  readonly messages: boolean;
}

const docstring = /\/\*\*([\s\S]*?)\*\//g;

/** The docstrings and messages of a TypeScript file. */
export function sourcePassages(file: string, text: string, { messages }: SourceOptions): readonly Passage[] {
  const lineAt = lineCounter(text);
  const docs = [...text.matchAll(docstring)].map(({ 1: body = '', index }) => ({
    file,
    line: lineAt(index),
    kind: 'docstring' as const,
    text: withoutQuotes(
      body
        .replace(/^\s*\* ?/gm, '')
        .replace(/```[\s\S]*?```|^ {2,}.*$/gm, '…')
        .replace(/^@example[\s\S]*/m, ''),
    ),
  }));
  return messages ? [...docs, ...messagePassages(file, text)] : docs;
}

/** Counts lines from offsets. */
function lineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}

/** Three words or more: a sentence, or a part of one, and no name. */
const isSentence = (text: string): boolean => /[A-Za-z’']{2,} [A-Za-z’']+ [A-Za-z’']{2,}/.test(text);

function messagePassages(file: string, text: string): readonly Passage[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Passage[] = [];
  const visit = (node: ts.Node): void => {
    const literal = textOf(node);
    if (literal !== undefined && isSentence(literal)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      found.push({ file, line, kind: 'message', text: withoutQuotes(literal) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The text of a string or template, with `…` for what is put in. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
}
