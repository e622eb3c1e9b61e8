/** A schema as a Kubernetes API server publishes it in its OpenAPI v3 documents: the part of the vocabulary that built-in kinds use. */
export interface PublishedSchema {
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, PublishedSchema>>;
  readonly items?: PublishedSchema;
  readonly additionalProperties?: PublishedSchema;
  readonly allOf?: readonly PublishedSchema[];
  readonly oneOf?: readonly PublishedSchema[];
  readonly $ref?: string;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
}

/** Built-in types by their full name (`io.k8s.api.core.v1.PodSpec`), and where they come from. */
export interface PublishedSchemas {
  /** The server's version, the documents that were read, and their license. */
  readonly source: { readonly version: string; readonly documents: readonly string[]; readonly licence: string };
  readonly schemas: Readonly<Record<string, PublishedSchema>>;
}

const referencePrefix = '#/components/schemas/';

/** The full name of the type that a schema refers to, be it directly or through an `allOf` of one; undefined where it refers to none. */
export function referenceOf(schema: PublishedSchema): string | undefined {
  const reference = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
  return reference?.startsWith(referencePrefix) ? reference.slice(referencePrefix.length) : undefined;
}

/**
 * A text's first sentence, in one line, with the next one where it is a single word ("Required."), which says nothing of the field. A full stop ends a
 * sentence when white space and a capital letter, a digit or a quotation mark follow and it does not belong to an abbreviation; a blank line ends one, too.
 */
export function firstSentence(text: string): string {
  const paragraph = (text.trim().split(/\n\s*\n/)[0] ?? '').replace(/\s+/g, ' ');
  for (const match of paragraph.matchAll(/[.!?](?=\s["'`]?[A-Z0-9])/g)) {
    const end = match.index + 1;
    if (!/^\S+$|\b(?:e\.g|i\.e|etc|vs|cf|Ex|ex)\.$/.test(paragraph.slice(0, end))) return paragraph.slice(0, end);
  }
  return paragraph;
}

/**
 * What of a server's OpenAPI documents the given types need: they and all that they refer to, descriptions cut to their first sentence. Sorted, so that
 * the same server always gives the same file.
 *
 * @throws Error when a type is in none of the documents.
 */
export function excerpt(
  documents: readonly { readonly components: { readonly schemas: Readonly<Record<string, PublishedSchema>> } }[],
  roots: readonly string[],
): Record<string, PublishedSchema> {
  const all: Record<string, PublishedSchema> = Object.assign(
    {},
    ...documents.map((document) => document.components.schemas),
  );
  const found = new Map<string, PublishedSchema>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    const schema = all[name];
    if (schema === undefined) throw new Error(`${name} is in none of the OpenAPI documents`);
    found.set(name, shorten(schema));
    for (const next of referencesIn(schema)) visit(next);
  };
  roots.forEach(visit);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function referencesIn(schema: PublishedSchema): string[] {
  const own = referenceOf(schema);
  const nested = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  return [...(own === undefined ? [] : [own]), ...nested.flatMap((child) => (child ? referencesIn(child) : []))];
}

const kept: readonly (keyof PublishedSchema)[] = [
  'description',
  'type',
  'format',
  'default',
  'enum',
  'required',
  '$ref',
  'allOf',
  'oneOf',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
];

function shorten(schema: PublishedSchema): PublishedSchema {
  const result: Record<string, unknown> = {};
  for (const key of kept) if (schema[key] !== undefined) result[key] = schema[key];
  if (schema.description !== undefined) result['description'] = firstSentence(schema.description);
  if (schema.items) result['items'] = shorten(schema.items);
  if (schema.additionalProperties) result['additionalProperties'] = shorten(schema.additionalProperties);
  if (schema.properties) {
    result['properties'] = Object.fromEntries(
      Object.entries(schema.properties)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, child]) => [name, shorten(child)]),
    );
  }
  return result;
}
