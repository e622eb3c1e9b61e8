import { createHash } from 'node:crypto';
import { CodegenError } from '../error.ts';
import type { SourcePlace } from '../error.ts';
import { parseDefinition } from './check.ts';
import type { Definition } from './definition.ts';
import { locate } from './locate.ts';
import { findNotPlain } from './plain.ts';
import { parseYaml, splitDocuments, unlessTemplate } from './yaml.ts';
import type { YamlDocument } from './yaml.ts';

/** One input: its name as the user gave it, and its text. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
  /** True where the text may hold no CRD at all, as a file found in a folder may. */
  readonly optional?: boolean;
}

/**
 * Every CustomResourceDefinition in the sources, sorted by name. Other objects, as a rendered Helm chart has them, are passed over.
 * Throws a `CodegenError` for text that is not YAML, a source without a CRD, a CRD that can't be honoured, and a name used twice.
 */
export function readDefinitions(sources: readonly SourceText[]): Definition[] {
  const definitions = sources.flatMap(definitionsOf);
  refuseDuplicates(definitions);
  return definitions.sort((a, b) => compare(a.group, b.group) || compare(a.names.plural, b.names.plural));
}

function definitionsOf(source: SourceText): Definition[] {
  const documents = splitDocuments(source.text, source.file);
  const definitions = documents.filter(mentionsDefinition).flatMap((document) => {
    const value = parseYaml(document);
    const fault = findNotPlain(value);
    if (fault !== undefined) {
      throw new CodegenError('Unsupported', `${fault.path.slice(0, 20).join('.')}: ${fault.message}`, {
        place: locate(document, fault.path),
      });
    }
    return crdsIn(value).map(({ manifest, path }) => {
      const json = JSON.stringify(manifest);
      refuseLarge(Buffer.byteLength(json), { file: source.file, line: document.line });
      const hash = createHash('sha256').update(json).digest('hex');
      const origin = { file: source.file, line: document.line, text: document.text, hash };
      return unlessTemplate(document, () => parseDefinition(manifest, origin, path));
    });
  });
  if (definitions.length === 0 && source.optional !== true) {
    // Text that is not YAML is the better message, so everything is parsed before this one is given.
    documents.forEach(parseYaml);
    const what = documents.length === 0 ? 'it is empty' : 'no document has kind CustomResourceDefinition';
    throw new CodegenError('NotACrd', `no CRD: ${what}; give a file that holds one (apiextensions.k8s.io/v1)`, {
      place: { file: source.file, line: 1 },
    });
  }
  return definitions;
}

/** The largest CRD as JSON, in bytes: an API server takes no larger request (`MaxRequestBodyBytes`). */
const largestDefinition = 3 * 1024 * 1024;

function refuseLarge(size: number, place: SourcePlace): void {
  if (size <= largestDefinition) return;
  const message = `the CRD is ${String(size)} bytes as JSON, and an API server takes ${String(largestDefinition)} at most; shorten its descriptions`;
  throw new CodegenError('Unsupported', message, { place });
}

/** Most documents of a chart are no CRDs: those are never parsed. */
const mentionsDefinition = (document: YamlDocument): boolean => document.text.includes('CustomResourceDefinition');

interface Found {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly path: readonly (string | number)[];
}

function crdsIn(value: unknown, path: readonly (string | number)[] = []): Found[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const manifest = value as Readonly<Record<string, unknown>>;
  if (manifest['kind'] === 'CustomResourceDefinition') return [{ manifest, path }];
  const items = manifest['items'];
  const kind = manifest['kind'];
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return [];
  // The API server leaves kind and apiVersion out of the items of a list of one kind.
  const common =
    kind === 'CustomResourceDefinitionList' ? { apiVersion: manifest['apiVersion'], kind: kind.slice(0, -4) } : {};
  return items.flatMap((item: unknown, index) =>
    crdsIn(typeof item === 'object' && item !== null ? { ...common, ...item } : item, [...path, 'items', index]),
  );
}

function refuseDuplicates(definitions: readonly Definition[]): void {
  const seen = new Map<string, Definition>();
  for (const definition of definitions) {
    const { group, names, source } = definition;
    for (const [what, name] of [
      ['plural', names.plural],
      ['kind', names.kind.toLowerCase()],
    ] as const) {
      const key = `${group}/${what}/${name}`;
      const other = seen.get(key);
      if (other !== undefined && other !== definition) {
        const first = `${other.source.file}:${String(other.source.line)}`;
        const message = `the ${what} ${what === 'kind' ? names.kind : name} of group ${group} is defined twice (first in ${first}); give each CRD once`;
        throw new CodegenError('Duplicate', message, { place: { file: source.file, line: source.line } });
      }
      seen.set(key, definition);
    }
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
