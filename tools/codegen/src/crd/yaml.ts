import * as jsYaml from 'js-yaml';
import { CodegenError } from '../error.ts';
import type { SourcePlace } from '../error.ts';

// The types of js-yaml 4 leave out the standard tags that it exports.
const { CORE_SCHEMA, Type, YAMLException, load, types } = jsYaml as typeof jsYaml & {
  readonly types: Readonly<Record<'int' | 'merge' | 'binary', jsYaml.Type>>;
};

/** One YAML document of a file, not parsed yet. */
export interface YamlDocument {
  readonly text: string;
  readonly file: string;
  /** The document's first line in the file, counted from 1. */
  readonly line: number;
}

/**
 * Splits a file at its document markers. `---` at the start of a line ends a document wherever it stands, even inside a block scalar, so that this
 * needs no parser (YAML 1.2, production `c-forbidden`).
 */
export function splitDocuments(text: string, file: string): YamlDocument[] {
  const documents: YamlDocument[] = [];
  const marker = /^---(?=[ \t\r\n]|$)/gm;
  let start = 0;
  let line = 1;
  const push = (end: number): void => {
    const part = text.slice(start, end);
    if (/^\s*[^\s#]/m.test(part.replace(/^---/, ''))) documents.push({ text: part, file, line });
    line += newlines(part);
    start = end;
  };
  for (const match of text.matchAll(marker)) {
    // Directives (%YAML) belong to the document whose marker follows them.
    if (!/^(?:%[^\n]*\n|#[^\n]*\n|\s)*$/.test(text.slice(start, match.index))) push(match.index);
  }
  push(text.length);
  return documents;
}

/** The value of one document, read as `kubectl` reads it. Throws a `CodegenError` with the line where the text is not YAML. */
export function parseYaml(document: YamlDocument): unknown {
  try {
    return load(document.text, { schema: kubernetesSchema }) as unknown;
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    // js-yaml's types leave the mark out where a caller threw the exception itself.
    const mark = error.mark as jsYaml.YAMLException['mark'] | undefined;
    const place: SourcePlace = { file: document.file, line: document.line + (mark?.line ?? 0) };
    const templated = document.text.includes('{{');
    const advice = templated
      ? 'this looks like a Helm template: render it first (helm template … | ordinal-codegen --out DIR -)'
      : 'correct the YAML there';
    throw new CodegenError('NotYaml', `not YAML: ${error.reason}; ${advice}`, { place, cause: error });
  }
}

const newlines = (text: string): number => {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
};

/** Kubernetes reads YAML 1.1: `on` is true and `0644` is 420 (sigs.k8s.io/yaml on go-yaml 2). */
const truths = new Set(['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON', 'true', 'True', 'TRUE']);
const falsehoods = new Set(['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF', 'false', 'False', 'FALSE']);

const bool = new Type('tag:yaml.org,2002:bool', {
  kind: 'scalar',
  resolve: (text: unknown) => typeof text === 'string' && (truths.has(text) || falsehoods.has(text)),
  construct: (text: string) => truths.has(text),
});

const octal = /^[-+]?0[0-7]+$/;

const int = new Type('tag:yaml.org,2002:int', {
  kind: 'scalar',
  resolve: (text: unknown) => typeof text === 'string' && (octal.test(text) || types.int.resolve(text)),
  construct: (text: string) => (octal.test(text) ? parseOctal(text) : (types.int.construct(text) as number)),
});

const parseOctal = (text: string): number => (text.startsWith('-') ? -1 : 1) * parseInt(text.replace(/^[-+]/, ''), 8);

const kubernetesSchema = CORE_SCHEMA.extend({ implicit: [bool, int, types.merge], explicit: [types.binary] });
