import type { JsonValue } from '../json.ts';
import type { JsonSchemaProps, ValidationRule } from '../schema-props.ts';
import { effectiveFormat } from './format/effective-format.ts';
import { formatCheck } from './format/registry.ts';
import type { FormatCheck } from './format/registry.ts';
import { lazyPattern } from './pattern.ts';
import type { PatternTest } from './pattern.ts';

/** Checks on numbers; `type` and `format` bound the values and the bounds themselves. */
export interface NumberChecks {
  readonly type: '' | 'integer' | 'number';
  readonly format: string;
  readonly maximum: number | undefined;
  readonly exclusiveMaximum: boolean;
  readonly minimum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly multipleOf: number | undefined;
}

/** What a subtree contains, so that a pass can skip what has nothing for it. */
interface Contents {
  defaults: boolean;
  embedded: boolean;
  listKeys: boolean;
  rules: boolean;
}

/** A schema, read once: maps instead of objects, formats resolved, patterns compiled at first use. */
export interface Node {
  readonly type: string;
  readonly types: readonly string[];
  readonly nullable: boolean;
  readonly format: string;
  readonly formatCheck: FormatCheck | undefined;
  readonly numbers: NumberChecks;
  readonly maxLength: number | undefined;
  readonly minLength: number | undefined;
  readonly pattern: PatternTest | undefined;
  readonly maxItems: number | undefined;
  readonly minItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly maxProperties: number | undefined;
  readonly minProperties: number | undefined;
  readonly required: readonly string[];
  readonly enum: readonly JsonValue[];
  readonly items: Node | undefined;
  readonly properties: ReadonlyMap<string, Node>;
  readonly defaults: readonly (readonly [string, Node])[];
  /** `additionalProperties` stands there, as schema or as `true`. */
  readonly additional: boolean;
  readonly additionalProperties: Node | undefined;
  readonly allOf: readonly Node[];
  readonly anyOf: readonly Node[];
  readonly oneOf: readonly Node[];
  readonly not: Node | undefined;
  readonly default: JsonValue | undefined;
  readonly preserveUnknownFields: boolean;
  readonly embeddedResource: boolean;
  readonly intOrString: boolean;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  readonly rules: readonly ValidationRule[];
  readonly contents: Contents;
}

const noProperties: ReadonlyMap<string, Node> = new Map();

/** Reads a schema into nodes. The schema itself is neither kept nor changed, but for its default and enum values. */
export function compileNode(schema: JsonSchemaProps): Node {
  const intOrString = schema['x-kubernetes-int-or-string'] === true;
  const types = intOrString ? ['integer', 'string'] : schema.type ? [schema.type] : [];
  const format = effectiveFormat(types, schema.format ?? '');
  const properties = schema.properties
    ? new Map(Object.entries(schema.properties).map(([name, property]) => [name, compileNode(property)]))
    : noProperties;
  const items = schema.items ? compileNode(schema.items) : undefined;
  const additional = schema.additionalProperties;
  const additionalProperties = typeof additional === 'object' ? compileNode(additional) : undefined;
  const allOf = compileAll(schema.allOf);
  const rules = schema['x-kubernetes-validations'] ?? [];
  const node = {
    ...strings(schema, format),
    type: schema.type ?? '',
    types,
    nullable: schema.nullable === true,
    numbers: numbers(schema, types, format),
    maxItems: schema.maxItems,
    minItems: schema.minItems,
    uniqueItems: schema.uniqueItems === true,
    maxProperties: schema.maxProperties,
    minProperties: schema.minProperties,
    required: schema.required ?? [],
    enum: schema.enum ?? [],
    items,
    properties,
    defaults: [...properties].filter(([, property]) => property.default !== undefined),
    additional: additional !== undefined,
    additionalProperties,
    allOf,
    anyOf: compileAll(schema.anyOf),
    oneOf: compileAll(schema.oneOf),
    not: schema.not ? compileNode(schema.not) : undefined,
    // A default of null is no default: the API server reads it as absent.
    default: schema.default ?? undefined,
    intOrString,
    rules,
    ...extensions(schema),
  };
  const children = [...properties.values(), ...[items, additionalProperties].filter((child) => child !== undefined)];
  return { ...node, contents: contentsOf(node, children) };
}

function compileAll(schemas: readonly JsonSchemaProps[] | undefined): readonly Node[] {
  return (schemas ?? []).map(compileNode);
}

function strings(
  schema: JsonSchemaProps,
  format: string,
): Pick<Node, 'format' | 'formatCheck' | 'maxLength' | 'minLength' | 'pattern'> {
  return {
    format,
    formatCheck: formatCheck(format),
    maxLength: schema.maxLength,
    minLength: schema.minLength,
    pattern: schema.pattern ? lazyPattern(schema.pattern) : undefined,
  };
}

function numbers(schema: JsonSchemaProps, types: readonly string[], format: string): NumberChecks {
  const single = types.length === 1 ? types[0] : undefined;
  const type = single === 'integer' || single === 'number' ? single : '';
  return {
    type,
    format: type === '' ? '' : format,
    maximum: schema.maximum,
    exclusiveMaximum: schema.exclusiveMaximum === true,
    minimum: schema.minimum,
    exclusiveMinimum: schema.exclusiveMinimum === true,
    multipleOf: schema.multipleOf,
  };
}

type Extensions = 'preserveUnknownFields' | 'embeddedResource' | 'listType' | 'listMapKeys' | 'mapType';

function extensions(schema: JsonSchemaProps): Pick<Node, Extensions> {
  return {
    preserveUnknownFields: schema['x-kubernetes-preserve-unknown-fields'] === true,
    embeddedResource: schema['x-kubernetes-embedded-resource'] === true,
    listType: schema['x-kubernetes-list-type'],
    listMapKeys: schema['x-kubernetes-list-map-keys'] ?? [],
    mapType: schema['x-kubernetes-map-type'],
  };
}

type Own = Pick<Node, 'default' | 'embeddedResource' | 'listType' | 'rules' | 'allOf'>;

function contentsOf(node: Own, children: readonly Node[]): Contents {
  const some = (what: keyof Contents): boolean => children.some((child) => child.contents[what]);
  return {
    defaults: node.default !== undefined || some('defaults'),
    embedded: node.embeddedResource || some('embedded'),
    listKeys: node.listType === 'set' || node.listType === 'map' || some('listKeys'),
    rules: node.rules.length > 0 || some('rules'),
  };
}

/** The node as the root of a resource: apiVersion, kind and metadata are implied. */
export function asResourceRoot(node: Node): Node {
  return node.embeddedResource
    ? node
    : { ...node, embeddedResource: true, contents: { ...node.contents, embedded: true } };
}
