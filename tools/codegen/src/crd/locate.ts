import { LineCounter, isCollection, parseDocument } from 'yaml';
import type { SourcePlace } from '../error.ts';
import type { DefinitionSource } from './definition.ts';

/** A path in a YAML document, from its root. */
export type DocumentPath = readonly (string | number)[];

/**
 * The line of a path in a definition's file. Parses the document again with a parser that keeps positions: only failures pay for it.
 * A path that does not exist is placed at its closest ancestor.
 */
export function locate(source: Pick<DefinitionSource, 'file' | 'line' | 'text'>, path: DocumentPath): SourcePlace {
  const lines = new LineCounter();
  const document = parseDocument(source.text, { lineCounter: lines, strict: false, uniqueKeys: false });
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of path) {
    if (!isCollection(node)) break;
    const pair = node.items.find((item) => keyOf(item) === String(step));
    const next = typeof step === 'number' ? node.items[step] : (pair as { value?: unknown } | undefined)?.value;
    const start = startOf(typeof step === 'number' ? next : (pair as { key?: unknown } | undefined)?.key);
    if (start === undefined) break;
    offset = start;
    node = next;
  }
  return { file: source.file, line: source.line - 1 + lines.linePos(offset).line };
}

const keyOf = (item: unknown): string | undefined => {
  const key = (item as { key?: { value?: unknown } } | null)?.key;
  return key?.value === undefined ? undefined : String(key.value);
};

const startOf = (node: unknown): number | undefined =>
  (node as { range?: [number, number, number] | null } | null | undefined)?.range?.[0];
