import type { GoShape, ListForm, MapForm, ScalarForm, TypeNode } from './type-node.ts';
import { untypedAtomic, untypedDeduced } from './type-node.ts';

/** An OpenAPI v3 schema, as far as types are read from it. */
export interface OpenApiSchema {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly items?: OpenApiSchema;
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly [extension: `x-${string}`]: unknown;
}

/** The zero values of a definition, as the dump reports them. */
interface DefinitionShape {
  readonly keep?: readonly string[];
  readonly always?: readonly string[];
}

/** Where `$ref` leads. */
export interface Definitions {
  readonly schemas: Readonly<Record<string, OpenApiSchema>>;
  readonly shapes: Readonly<Record<string, DefinitionShape>>;
}

const prefix = '#/components/schemas/';
const quantity = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const rawExtension = 'io.k8s.apimachinery.pkg.runtime.RawExtension';
const time = 'io.k8s.apimachinery.pkg.apis.meta.v1.Time';
const microTime = 'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime';
const fieldsV1 = 'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1';
const intOrString = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';

/** Reads types from OpenAPI. Each definition is read once, when it is first asked for, so that starting costs nothing. */
export class TypeReader {
  readonly #definitions: Definitions;
  readonly #known = new Map<string, TypeNode>();

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  /** The type of a definition. Throws a `TypeError` where there is none of that name. */
  definition(name: string): TypeNode {
    const known = this.#known.get(name);
    if (known) return known;
    const special = specialType(name);
    if (special) return special;
    const schema = this.#definitions.schemas[name];
    if (schema === undefined) throw new TypeError(`no definition named ${name}`);
    // Registered before it is filled in, because definitions refer to themselves.
    const node: TypeNode = {};
    this.#known.set(name, node);
    Object.assign(node, this.#atom(schema, { name, preserve: false }));
    return node;
  }

  /** The type that a schema describes. Custom kinds keep unknown fields below `x-kubernetes-preserve-unknown-fields`. */
  schema(schema: OpenApiSchema, preserve = false): TypeNode {
    const reference = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
    if (reference === undefined) return this.#atom(schema, { preserve });
    const node = this.definition(reference.slice(prefix.length));
    const mapType = schema['x-kubernetes-map-type'];
    if (mapType === undefined || node.map === undefined) return node;
    return { ...node, map: { ...node.map, atomic: mapType === 'atomic' } };
  }

  #atom(schema: OpenApiSchema, context: { readonly name?: string; readonly preserve: boolean }): TypeNode {
    const preserve = context.preserve || schema['x-kubernetes-preserve-unknown-fields'] === true;
    if (schema['x-kubernetes-int-or-string'] === true) return { scalar: 'untyped' };
    switch (schema.type) {
      case 'object':
        return { map: this.#map(schema, preserve, context.name) };
      case 'array':
        return { list: this.#list(schema, preserve) };
      case 'integer':
      case 'number':
      case 'boolean':
        return { scalar: schema.type };
      case 'string':
        return { scalar: stringForm(schema.format) };
      default:
        return {
          scalar: 'untyped',
          list: this.#list(schema, preserve),
          map: this.#map(schema, preserve, context.name),
        };
    }
  }

  #list(schema: OpenApiSchema, preserve: boolean): ListForm {
    const strategy = String(schema['x-kubernetes-patch-strategy'] ?? '');
    const patchKey = schema['x-kubernetes-patch-merge-key'];
    return {
      ...this.#relationship(schema, strategy),
      element: schema.items === undefined ? untypedAtomic : this.schema(schema.items, preserve),
      patchMerges: strategy.includes('merge'),
      ...(typeof patchKey === 'string' && { patchKey }),
    };
  }

  #relationship(schema: OpenApiSchema, strategy: string): Pick<ListForm, 'relationship' | 'keys'> {
    const listType = schema['x-kubernetes-list-type'];
    if (listType === 'set') return { relationship: 'set', keys: [] };
    if (listType === 'map')
      return { relationship: 'map', keys: schema['x-kubernetes-list-map-keys'] as readonly string[] };
    if (listType === undefined && strategy.includes('merge')) {
      const key = schema['x-kubernetes-patch-merge-key'];
      return typeof key === 'string' ? { relationship: 'map', keys: [key] } : { relationship: 'set', keys: [] };
    }
    return { relationship: 'atomic', keys: [] };
  }

  #map(schema: OpenApiSchema, preserve: boolean, name: string | undefined): MapForm {
    const fields = new Map<string, TypeNode>();
    const defaults = new Map<string, unknown>();
    const retainKeys = new Set<string>();
    for (const [field, member] of Object.entries(schema.properties ?? {})) {
      fields.set(field, this.schema(member, preserve));
      if (member.default !== undefined) defaults.set(field, member.default);
      if (String(member['x-kubernetes-patch-strategy'] ?? '').includes('retainKeys')) retainKeys.add(field);
    }
    const element = this.#element(schema, preserve);
    const go = name === undefined ? undefined : this.#shape(name, fields);
    return {
      fields,
      defaults,
      retainKeys,
      atomic: schema['x-kubernetes-map-type'] === 'atomic',
      ...(element && { element }),
      ...(go && { go }),
      ...(name !== undefined && { definition: name }),
    };
  }

  #element(schema: OpenApiSchema, preserve: boolean): TypeNode | undefined {
    const { additionalProperties } = schema;
    if (additionalProperties === undefined)
      return preserve || schema.properties === undefined || Object.keys(schema.properties).length === 0
        ? untypedDeduced
        : undefined;
    if (typeof additionalProperties === 'object') return this.schema(additionalProperties, preserve);
    return additionalProperties ? untypedDeduced : undefined;
  }

  #shape(name: string, fields: ReadonlyMap<string, TypeNode>): GoShape | undefined {
    if (!name.startsWith('io.k8s.')) return undefined;
    const shape = this.#definitions.shapes[name] ?? {};
    const always = new Map<string, 'null' | 'string' | 'number' | 'boolean' | 'object'>();
    for (const field of shape.always ?? []) {
      const node = fields.get(field);
      if (node) always.set(field, this.#zero(name, field, node));
    }
    return { keep: new Set(shape.keep ?? []), always };
  }

  #zero(name: string, field: string, node: TypeNode): 'null' | 'string' | 'number' | 'boolean' | 'object' {
    if (node.scalar === 'string') return 'string';
    if (node.scalar === 'integer' || node.scalar === 'number') return 'number';
    if (node.scalar === 'boolean') return 'boolean';
    if (node.list || node.scalar) return 'null';
    // A struct is written as an object; a map or a pointer without omitempty as null.
    const property = this.#definitions.schemas[name]?.properties?.[field];
    return property?.default === undefined ? 'null' : 'object';
  }
}

function specialType(name: string): TypeNode | undefined {
  if (name === quantity) return { scalar: 'quantity' };
  if (name === rawExtension || name === fieldsV1) return untypedAtomic;
  if (name === intOrString) return { scalar: 'untyped' };
  if (name === microTime) return { scalar: 'micro-time' };
  return name === time ? { scalar: 'time' } : undefined;
}

function stringForm(format: string | undefined): ScalarForm {
  if (format === 'date-time') return 'time';
  return format === 'int-or-string' ? 'untyped' : 'string';
}
