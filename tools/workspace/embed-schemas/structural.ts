import { referenceOf } from './published.ts';
import type { PublishedSchema, PublishedSchemas } from './published.ts';

/** A structural schema as a CRD carries it. Plain data, ready to be written as YAML. */
export type StructuralSchema = Record<string, unknown>;

/** How a built-in type is embedded. */
export interface EmbedOptions {
  /**
   * An overlay names only what it changes: nothing is required but the keys of list entries, without which no entry could be distinguished from another,
   * and nothing is defaulted but those.
   */
  readonly overlay: boolean;
}

const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const quantity = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const intOrString = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';
const time = 'io.k8s.apimachinery.pkg.apis.meta.v1.Time';

/** Types whose published schema is looser than, or unlike, what the API server accepts in a CRD. */
const replacements: Readonly<Record<string, StructuralSchema>> = {
  // A CRD prunes every field of `metadata` that is not spelled out, the labels first of all.
  [objectMeta]: {
    type: 'object',
    properties: {
      annotations: {
        description: 'Notes by key, for tools and people.',
        type: 'object',
        additionalProperties: { type: 'string' },
      },
      creationTimestamp: {
        description: 'Left in by tools that print manifests; ignored.',
        type: 'string',
        format: 'date-time',
        nullable: true,
      },
      finalizers: {
        description: 'What must be done before an object made from this template is gone.',
        type: 'array',
        items: { type: 'string' },
        'x-kubernetes-list-type': 'set',
      },
      labels: {
        description: 'Labels by key, for selectors.',
        type: 'object',
        additionalProperties: { type: 'string' },
      },
      name: { description: 'The name; a volume claim template must have one.', type: 'string' },
      namespace: { description: 'The namespace; objects made from a template are in their owner’s.', type: 'string' },
    },
  },
  [quantity]: {
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern: String.raw`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$`,
    'x-kubernetes-int-or-string': true,
  },
  [intOrString]: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
  [time]: { type: 'string', format: 'date-time' },
};

/**
 * The structural schema of a built-in type, with every reference resolved, for a CRD to embed.
 *
 * Of the published defaults only those of list-map keys are kept (a port's protocol): a structural schema demands that such a key is required or has a
 * default. All others say what Go's zero value is, or belong to the built-in API server, which fills them in when the child is written.
 *
 * @throws Error when the type, or one it refers to, is not in `published`, or refers to itself.
 */
export function structuralSchema(published: PublishedSchemas, name: string, options: EmbedOptions): StructuralSchema {
  const reference = { $ref: `#/components/schemas/${name}` };
  const schema = resolve(reference, { published, options, path: [] });
  // What the field is for is said by hand, above the marker.
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== 'description'));
}

interface Context {
  readonly published: PublishedSchemas;
  readonly options: EmbedOptions;
  /** The types that are being resolved, outermost first. */
  readonly path: readonly string[];
  /** For the entries of a map list: their keys. */
  readonly keys?: readonly string[] | undefined;
}

function resolve(schema: PublishedSchema, context: Context): StructuralSchema {
  const name = referenceOf(schema);
  if (name === undefined) return convert(schema, context);
  const replacement = replacements[name];
  const described = schema.description === undefined ? {} : { description: schema.description };
  if (replacement) return { ...described, ...replacement };
  const target = context.published.schemas[name];
  if (target === undefined)
    throw new Error(`${name} is not in the stored schemas: add it to the roots and store them again`);
  if (context.path.includes(name)) throw new Error(`${name} refers to itself: a CRD's schema can't`);
  const resolved = convert(target, { ...context, path: [...context.path, name] });
  return { ...resolved, ...described };
}

function convert(schema: PublishedSchema, context: Context): StructuralSchema {
  const { keys, ...inner } = context;
  const result: StructuralSchema = {};
  for (const key of ['description', 'type', 'format', 'enum'] as const)
    if (schema[key] !== undefined) result[key] = schema[key];
  if (schema.properties) result['properties'] = properties(schema, inner, keys ?? []);
  const required = requiredOf(schema, context);
  if (required.length > 0) result['required'] = required;
  if (schema.items) result['items'] = resolve(schema.items, { ...inner, keys: schema['x-kubernetes-list-map-keys'] });
  if (schema.additionalProperties) result['additionalProperties'] = resolve(schema.additionalProperties, inner);
  for (const key of ['x-kubernetes-list-map-keys', 'x-kubernetes-list-type'] as const)
    if (schema[key] !== undefined) result[key] = schema[key];
  if (schema['x-kubernetes-map-type'] === 'atomic') result['x-kubernetes-map-type'] = 'atomic';
  return result;
}

function properties(schema: PublishedSchema, context: Context, keys: readonly string[]): StructuralSchema {
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, child]) => {
      const resolved = resolve(child, context);
      const isDefaultedKey =
        keys.includes(name) && schema.required?.includes(name) !== true && child.default !== undefined;
      return [name, isDefaultedKey ? { ...resolved, default: child.default } : resolved];
    }),
  );
}

/** The keys of a list's entries are required wherever they have no default; everything else only outside an overlay. */
function requiredOf(schema: PublishedSchema, { options, keys = [] }: Context): string[] {
  const required = schema.required ?? [];
  const undefaultedKeys = keys.filter(
    (key) => required.includes(key) || schema.properties?.[key]?.default === undefined,
  );
  return [...new Set(options.overlay ? undefaultedKeys : [...required, ...undefaultedKeys])].sort();
}
