import { LineCounter, isAlias, isCollection, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import type { SourcePlace } from '../error.ts';
import type { DefinitionSource } from './definition.ts';

/** A path in a YAML document, from its root. */
export type DocumentPath = readonly (string | number)[];

/**
 * The line of a path in a definition's file. Parses the document again with a parser that keeps positions: only failures pay for it.
 * A path that does not exist is placed at its closest ancestor; below an alias or a merge key the line is in the anchored part, where the mistake stands.
 */
export function locate(source: Pick<DefinitionSource, 'file' | 'line' | 'text'>, path: DocumentPath): SourcePlace {
  const lines = new LineCounter();
  const document = parseDocument(source.text, { lineCounter: lines, strict: false, uniqueKeys: false });
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of path) {
    const next = typeof step === 'number' ? itemOf(node, step) : pairOf(document, node, step)?.value;
    const start = startOf(typeof step === 'number' ? next : pairOf(document, node, step)?.key);
    if (start === undefined) break;
    offset = start;
    node = anchored(document, next);
  }
  return { file: source.file, line: source.line - 1 + lines.linePos(offset).line };
}

interface FoundPair {
  readonly key?: unknown;
  readonly value?: unknown;
}

const itemOf = (node: unknown, index: number): unknown => (isCollection(node) ? node.items[index] : undefined);

/** The pair of a key: the map's own, or else one that a merge key (`<<`) brings. */
function pairOf(document: Document, node: unknown, key: string, merges = 0): FoundPair | undefined {
  // Merge keys may go in a circle.
  if (!isCollection(node) || merges > 100) return undefined;
  const own = node.items.find((item) => keyOf(item) === key);
  if (own !== undefined) return own as FoundPair;
  const merged = node.items.find((item) => keyOf(item) === '<<') as FoundPair | undefined;
  const value = anchored(document, merged?.value);
  return merged === undefined ? undefined : pairOf(document, value, key, merges + 1);
}

/** The node that an alias stands for. */
const anchored = (document: Document, node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);

const keyOf = (item: unknown): string | undefined => {
  const key = (item as { key?: { value?: unknown } } | null)?.key;
  return key?.value === undefined ? undefined : String(key.value);
};

const startOf = (node: unknown): number | undefined =>
  (node as { range?: [number, number, number] | null } | null | undefined)?.range?.[0];
