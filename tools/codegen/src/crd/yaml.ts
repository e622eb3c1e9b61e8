import * as jsYaml from 'js-yaml';
import { CodegenError } from '../error.ts';
import type { SourcePlace } from '../error.ts';

// The types of js-yaml 4 leave out the standard tags that it exports, and how deep it reads.
const { CORE_SCHEMA, Type, YAMLException, load, types } = jsYaml as typeof jsYaml & {
  readonly types: Readonly<Record<'int' | 'float' | 'merge' | 'binary', jsYaml.Type>>;
  readonly load: (text: string, options: jsYaml.LoadOptions & { readonly maxDepth: number }) => unknown;
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
export function splitDocuments(given: string, file: string): YamlDocument[] {
  // A byte order mark is no part of the text.
  const text = given.replace(/^\ufeff/, '');
  const documents: YamlDocument[] = [];
  const marker = /^---(?=[ \t\r\n]|$)/gm;
  let start = 0;
  let line = 1;
  const push = (end: number): void => {
    const part = text.slice(start, end);
    if (/^[^\S\n]*[^\s#]/m.test(part.replace(/^---/, ''))) documents.push({ text: part, file, line });
    line += newlines(part);
    start = end;
  };
  for (const match of text.matchAll(marker)) {
    // Directives (%YAML) belong to the document whose marker follows them.
    if (/^[^\S\n]*[^\s%#]/m.test(text.slice(start, match.index))) push(match.index);
  }
  push(text.length);
  return documents;
}

/** The value of one document, read as `kubectl` reads it. Throws a `CodegenError` with the line where the text is not YAML. */
export function parseYaml(document: YamlDocument): unknown {
  return parseJson(document.text) ?? unlessTemplate(document, () => loadYaml(document));
}

function loadYaml(document: YamlDocument): unknown {
  try {
    return load(document.text, { schema: kubernetesSchema, maxDepth });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    // js-yaml's types leave the mark out where a caller threw the exception itself.
    const mark = error.mark as jsYaml.YAMLException['mark'] | undefined;
    const place: SourcePlace = { file: document.file, line: document.line + (mark?.line ?? 0) };
    const advice = startsAnother(error, document) ? 'put --- between two documents' : 'correct the YAML there';
    throw new CodegenError('NotYaml', `not YAML: ${error.reason}; ${advice}`, { place, cause: error });
  }
}

/** `apiVersion` twice at the start of a line: two files were joined without a marker between them. */
function startsAnother({ reason, mark }: jsYaml.YAMLException, { text }: YamlDocument): boolean {
  const given = text.split('\n')[(mark as typeof mark | undefined)?.line ?? 0] ?? '';
  return reason === 'duplicated mapping key' && /^(?:apiVersion|kind|metadata):/.test(given);
}

/** JSON may be indented with tabs, which YAML does not allow everywhere. Undefined for what is no JSON: YAML's reader says why. */
function parseJson(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A level of a schema takes two of YAML. */
const maxDepth = 1000;

/** Does the work; where that fails and the text is a Helm template, this is what is said. */
export function unlessTemplate<T>(document: YamlDocument, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw templateAction.test(document.text) ? templateError(document, error) : error;
  }
}

/** An action of Helm's template language where YAML has structure: alone on a line, or as a whole value. */
const templateAction = /^[ \t]*(?:[-\w./"']+:[ \t]+|-[ \t]+)?\{\{/m;

function templateError({ text, file, line }: YamlDocument, cause: unknown): CodegenError {
  const before = text.slice(0, templateAction.exec(text)?.index ?? 0);
  const message =
    'a Helm template that is not rendered; render the chart first (helm template NAME CHART | ordinal-codegen --out DIR -)';
  return new CodegenError('NotYaml', message, { place: { file, line: line + newlines(before) }, cause });
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

/** A number may be grouped by underscores anywhere behind its first digit: `1_000`. With a zero in front it is octal. */
const octal = /^[-+]?0[0-7_]+$/;
const grouped = /^[-+]?\.?\d[\w.+-]*_/;
const plain = (text: string): string => (grouped.test(text) ? text.replaceAll('_', '') : text);

const int = new Type('tag:yaml.org,2002:int', {
  kind: 'scalar',
  resolve: (text: unknown) => typeof text === 'string' && (octal.test(text) || types.int.resolve(plain(text))),
  construct: (text: string) => (octal.test(text) ? parseOctal(text) : (types.int.construct(plain(text)) as number)),
});

const float = new Type('tag:yaml.org,2002:float', {
  kind: 'scalar',
  resolve: (text: unknown) => typeof text === 'string' && types.float.resolve(plain(text)),
  construct: (text: string) => types.float.construct(plain(text)) as number,
});

const parseOctal = (text: string): number =>
  (text.startsWith('-') ? -1 : 1) * parseInt(text.replaceAll('_', '').replace(/^[-+]/, ''), 8);

const kubernetesSchema = CORE_SCHEMA.extend({ implicit: [bool, int, float, types.merge], explicit: [types.binary] });
