import { described, objectFields } from './descriptions.ts';
import type { CelEngine } from '@ordinal/schema';
import schemas from '../../builtin/schemas.json' with { type: 'json' };
import shapes from '../../builtin/shapes.json' with { type: 'json' };
import type { JsonObject } from '../request.ts';
import type { ServerResource } from '../resources/resource.ts';
import { TypeReader } from '../schema/open-api.ts';
import type { Definitions } from '../schema/open-api.ts';
import { notSimulated } from '../status.ts';
import { builtinModel } from './builtin-model.ts';
import { customModel } from './custom-model.ts';
import { definitionStorage, withRuleCosts } from './definition-costs.ts';
import type { KindModel } from './model.ts';

interface KindMark {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

// The dump is our own: its form is that of OpenAPI.
const definitions = { schemas, shapes } as unknown as Definitions;

/**
 * Models that were made, for servers to share: a search of thousands of histories starts a server for each, with the same kinds. Models are pure and never
 * change. Custom kinds are distinguished by their schema's identity: give the same CRD objects again.
 */
export class CompiledKinds {
  readonly #types = new TypeReader(definitions);
  readonly #builtin = new Map<string, KindModel>();
  readonly #custom = new WeakMap<JsonObject, Map<string, KindModel>>();
  readonly #cel: CelEngine | undefined;

  constructor(cel?: CelEngine) {
    this.#cel = cel;
  }

  /** The model of a built-in kind by its definition's name. */
  builtin(resource: ServerResource, definition: string): KindModel {
    let model = this.#builtin.get(definition);
    if (model === undefined) {
      model = builtinModel(resource, this.#types.definition(definition));
      if (this.#cel !== undefined && resource.storage === definitionStorage) model = withRuleCosts(model, this.#cel);
      this.#builtin.set(definition, model);
    }
    return model;
  }

  /** The model of a custom kind by its schema. */
  custom(resource: ServerResource, schema: JsonObject): KindModel {
    const known = this.#custom.get(schema) ?? new Map<string, KindModel>();
    this.#custom.set(schema, known);
    const key = `${keyOf(resource)} ${[...resource.subresources.keys()].join()}`;
    let model = known.get(key);
    if (model === undefined) {
      model = customModel({ resource, schema, types: this.#types, cel: this.#cel });
      known.set(key, model);
    }
    return model;
  }
}

/** Keeps the models of kinds; those of built-in kinds are made when they are first asked for. */
export class KindModels {
  readonly #known = new Map<string, KindModel>();
  readonly #schemas = new Map<string, { readonly resource: ServerResource; readonly schema: JsonObject }>();
  readonly #compiled: CompiledKinds;
  #names: Map<string, string> | undefined;

  constructor(compiled: CompiledKinds) {
    this.#compiled = compiled;
  }

  /** The model of a kind in the version of the resource. Refuses kinds that have none with 501. */
  of(resource: ServerResource): KindModel {
    const key = keyOf(resource);
    const known = this.#known.get(key);
    if (known) return known;
    const declared = this.#schemas.get(key);
    if (declared) {
      const custom = this.#compiled.custom(declared.resource, declared.schema);
      this.#known.set(key, custom);
      return custom;
    }
    const name = this.#definitionName(resource);
    if (name === undefined) throw notSimulated(`the kind ${key}`);
    const model = this.#compiled.builtin(resource, name);
    this.#known.set(key, model);
    return model;
  }

  /** The model of a custom kind in another of its versions, served or not; undefined where there is none. */
  inVersion({ group, kind }: ServerResource, apiVersion: string): KindModel | undefined {
    const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
    const declared = this.#schemas.get(keyOf({ group, version, kind }));
    return declared && this.of(declared.resource);
  }

  /** Takes over a custom kind. */
  define(resource: ServerResource, schema: JsonObject): void {
    this.#schemas.set(keyOf(resource), { resource, schema });
    this.#known.delete(keyOf(resource));
  }

  /** The OpenAPI schemas of kinds, and of all that they refer to. */
  openApiSchemas(resources: readonly ServerResource[]): JsonObject {
    const found: JsonObject = {};
    for (const resource of resources) {
      const custom = this.#schemas.get(keyOf(resource));
      if (custom) found[customName(resource)] = customSchema(resource, custom.schema);
      const name = custom ? metaDefinition : this.#definitionName(resource);
      if (name !== undefined) collect(name, found);
    }
    return found;
  }

  /** The schema of a custom kind as its definition has it; undefined for a built-in one. */
  customSchema(resource: ServerResource): JsonObject | undefined {
    return this.#schemas.get(keyOf(resource))?.schema;
  }

  /** Forgets a custom kind. */
  forget(resource: ServerResource): void {
    this.#known.delete(keyOf(resource));
    this.#schemas.delete(keyOf(resource));
  }

  #definitionName(resource: ServerResource): string | undefined {
    this.#names ??= namesOf(definitions);
    return this.#names.get(keyOf(resource));
  }
}

const keyOf = ({ group, version, kind }: KindMark): string => `${group}/${version}/${kind}`;

function namesOf({ schemas: all }: Definitions): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, schema] of Object.entries(all))
    for (const mark of (schema['x-kubernetes-group-version-kind'] ?? []) as readonly KindMark[])
      names.set(keyOf(mark), name);
  return names;
}

/** The name of the definition of `metadata`. */
export const metaDefinition = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const reference = '#/components/schemas/';

/** The name of a custom kind among the definitions. */
export const customName = ({ group, version, kind }: ServerResource): string =>
  `${group.split('.').reverse().join('.')}.${version}.${kind}`;

/** A custom kind's schema with what every object has. */
function customSchema({ group, version, kind }: ServerResource, schema: JsonObject): JsonObject {
  const properties = schema['properties'] as JsonObject | undefined;
  return {
    ...schema,
    properties: {
      ...properties,
      apiVersion: { description: objectFields.apiVersion, type: 'string' },
      kind: { description: objectFields.kind, type: 'string' },
      metadata: { description: objectFields.metadata, allOf: [{ $ref: reference + metaDefinition }] },
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
  };
}

/** Adds a definition and all that it refers to. */
function collect(name: string, found: JsonObject): void {
  const schema = definitions.schemas[name];
  if (found[name] !== undefined || schema === undefined) return;
  found[name] = described(name, schema as JsonObject);
  for (const [, target] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
    collect(target ?? '', found);
}
