import { LineCounter, parseAllDocuments } from 'yaml';
import type { ReadBody } from './read-body.ts';

/**
 * Reads the first document of a text of YAML, and what Go's library says of keys that are there twice. Throws where the text can't be read, in the words
 * of this side's own library.
 */
export function readYamlText(text: string): ReadBody {
  return jsonIn(text) ?? readDocument(text);
}

/** Most of what calls itself YAML is JSON, which parses a hundred times faster. */
function jsonIn(text: string): ReadBody | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value).length === text.length ? { value, repeated: [] } : undefined;
  } catch {
    // YAML's flow style looks like JSON, and is none; what is nested too deeply has no text.
    return undefined;
  }
}

function readDocument(text: string): ReadBody {
  const lineCounter = new LineCounter();
  const [document] = parseAllDocuments(text, { lineCounter });
  if (document === undefined || !('toJS' in document)) return { value: null, repeated: [] };
  const twice = document.errors.filter(({ code }) => code === 'DUPLICATE_KEY');
  const other = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY');
  if (other) throw other;
  const repeated = twice.map(({ pos: [from] }) => {
    const [, quoted, plain = ''] = /^(?:"((?:[^"\\]|\\.)*)"|([^\s:]+))/.exec(text.slice(from)) ?? [];
    return `line ${lineCounter.linePos(from).line}: key "${quoted ?? plain}" already set in map`;
  });
  return { value: document.toJS() as unknown, repeated };
}
