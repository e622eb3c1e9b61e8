import type { KindModels } from '../kinds/models.ts';
import { objectFields } from '../kinds/descriptions.ts';
import { customName, metaDefinition } from '../kinds/models.ts';
import { kubernetesVersion } from './documents.ts';
import type { JsonObject } from '../request.ts';
import type { ResourceRegistry, ServerResource } from '../resources/resource.ts';
import { operationPaths } from './open-api.ts';

const v3Reference = '#/components/schemas/';
const reference = '#/definitions/';

const parameters = ['fieldManager', 'fieldValidation', 'dryRun'].map((name) => ({
  name,
  in: 'query',
  type: 'string',
  uniqueItems: true,
}));

/** `/openapi/v2`: all kinds in one document, in Swagger 2.0. Without the schemas of lists, and without descriptions of built-in kinds. */
export function openApiV2({
  resources,
  models,
}: {
  readonly resources: ResourceRegistry;
  readonly models: KindModels;
}): JsonObject {
  const served = resources.all();
  const builtin = Object.entries(models.openApiSchemas(served)).map(([name, schema]) => [
    name,
    nativeSchema(schema as JsonObject), // A schema.
  ]);
  const custom = served.flatMap((resource) => {
    const schema = models.customSchema(resource);
    return schema === undefined ? [] : [[customName(resource), customDefinition(resource, schema)]];
  });
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: kubernetesVersion['gitVersion'] },
    paths: operationPaths(served, parameters),
    // A custom kind stands among the first ones too, in the form of OpenAPI v3.
    definitions: Object.fromEntries([...builtin, ...custom]) as JsonObject,
  };
}

/** Whatever schemas a schema holds, each as `change` has it. */
function withNested(schema: JsonObject, change: (nested: JsonObject) => JsonObject): JsonObject {
  const { properties, items, additionalProperties } = schema;
  const isSchema = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;
  const changed = (named: JsonObject) =>
    Object.fromEntries(Object.entries(named).map(([name, nested]) => [name, change(nested as JsonObject)])); // Schemas.
  return {
    ...schema,
    ...(isSchema(properties) && { properties: changed(properties) }),
    ...(isSchema(items) && { items: change(items) }),
    ...(isSchema(additionalProperties) && { additionalProperties: change(additionalProperties) }),
  };
}

/** A built-in schema: a reference stands alone in Swagger 2.0, a choice of types is written as a string, and defaults are left out, as the server does. */
function nativeSchema(schema: JsonObject): JsonObject {
  const { default: _default, allOf, oneOf, $ref, ...rest } = withNested(schema, nativeSchema);
  const [only] = (allOf ?? []) as readonly JsonObject[]; // The dump has one reference in each.
  const target = $ref ?? only?.['$ref'];
  return {
    ...rest,
    ...(oneOf !== undefined && { type: 'string' }),
    ...(typeof target === 'string' && { $ref: target.replace(v3Reference, reference) }),
  };
}

const typeMeta = {
  apiVersion: { description: objectFields.apiVersion, type: 'string' },
  kind: { description: objectFields.kind, type: 'string' },
};
const metadata = { description: objectFields.metadata, $ref: reference + metaDefinition };

/** A custom kind with what every object has. One that keeps unknown fields has no properties: `kubectl` would refuse all others. */
function customDefinition(
  { group, version, kind, selectableFields = [] }: ServerResource,
  schema: JsonObject,
): JsonObject {
  const mark = {
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
    ...(selectableFields.length > 0 && {
      'x-kubernetes-selectable-fields': selectableFields.map((fieldPath) => ({ fieldPath })),
    }),
  };
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return { type: 'object', ...mark };
  const written = structuralSchema(schema);
  const properties = { ...(written['properties'] as JsonObject | undefined), ...typeMeta, metadata };
  return { ...written, properties, ...mark };
}

/** What of a structural schema can be said in OpenAPI v2, by the rules of the API server (`ToStructuralOpenAPIV2` of apiextensions-apiserver), which leaves out defaults as well. */
function structuralSchema(schema: JsonObject): JsonObject {
  const { default: _default, allOf: _all, anyOf: _any, oneOf: _one, not: _not, nullable, ...rest } = schema;
  const keepsUnknown = rest['x-kubernetes-preserve-unknown-fields'] === true;
  const { items, properties, type, ...others } = rest;
  const hasNested = nullable !== true && !keepsUnknown;
  // `kubectl` knows no array of anything, and no object of anything.
  const isOfAnyType =
    nullable === true ||
    (type === 'array' && (!hasNested || items === undefined)) ||
    (type === 'object' && keepsUnknown);
  const kept = {
    ...others,
    ...(type !== undefined && !isOfAnyType && { type }),
    ...(hasNested && items !== undefined && { items }),
    ...(hasNested && properties !== undefined && { properties }),
  };
  return embedded(withNested(withoutNullable(kept), structuralSchema), keepsUnknown);
}

/** Fields that may be null are not required: null is no value in OpenAPI v2. */
function withoutNullable(schema: JsonObject): JsonObject {
  const { required, ...rest } = schema;
  if (required === undefined) return schema;
  const fields = (rest['properties'] ?? {}) as Readonly<Record<string, JsonObject>>;
  const left = (required as readonly string[]).filter((name) => fields[name]?.['nullable'] !== true);
  return left.length === 0 ? rest : { ...rest, required: left };
}

/** An object in an object has a kind and metadata as well. */
function embedded(schema: JsonObject, keepsUnknown: boolean): JsonObject {
  if (schema['x-kubernetes-embedded-resource'] !== true || keepsUnknown) return schema;
  const { properties, required } = schema;
  const needed = new Set([...((required ?? []) as readonly string[]), 'kind', 'apiVersion']);
  return {
    ...schema,
    properties: { ...(properties as JsonObject | undefined), ...typeMeta, metadata },
    required: [...needed],
  };
}
