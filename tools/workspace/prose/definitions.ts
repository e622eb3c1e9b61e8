import { isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { withoutEmbedded } from '../crd-reference/embedded.ts';
import { withoutQuotes } from './passage.ts';
import type { Passage } from './passage.ts';

/** The descriptions and messages that are written in a CRD: what `kubectl explain` and the API server show. */
export function definitionPassages(file: string, text: string): readonly Passage[] {
  const lines = new LineCounter();
  const document = parseDocument(withoutEmbedded(text), { lineCounter: lines });
  const found: Passage[] = [];
  visit(document, {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || !isScalar(value) || typeof value.value !== 'string') return;
      if (key.value !== 'description' && key.value !== 'message') return;
      const line = lines.linePos(value.range?.[0] ?? 0).line;
      found.push({ file, line, kind: key.value, text: withoutQuotes(value.value) });
    },
  });
  return found;
}
