import { sameJson } from '@ordinal/client';
import { fieldErrorBody } from '@ordinal/schema';
import type { CelEngine, JsonSchemaProps } from '@ordinal/schema';
import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import type { Draft, KindModel } from './model.ts';
import { items, part, specOf } from './spec.ts';

/** Where custom kinds are kept. */
export const definitionStorage = 'customresourcedefinitions.apiextensions.k8s.io';

/** How many schemas are remembered: those that a search installs again and again. */
const remembered = 100;

/**
 * The model of CustomResourceDefinitions, which also refuses those whose rules are estimated to cost too much. An update is judged by the schemas that it
 * changes: what was stored stays valid.
 */
export function withRuleCosts(model: KindModel, cel: CelEngine): KindModel {
  const known = new Map<string, readonly FieldCause[]>();
  // A schema that is installed again is mostly the same object: its text, which is long, need not be made to find it.
  const seen = new WeakMap<JsonObject, { readonly path: string; readonly causes: readonly FieldCause[] }>();
  const causesOf = (schema: JsonObject, path: string): readonly FieldCause[] => {
    const last = seen.get(schema);
    if (last?.path === path) return last.causes;
    const key = `${path} ${JSON.stringify(schema)}`;
    const causes = known.get(key) ?? costCauses(schema, { path, cel });
    if (known.size < remembered) known.set(key, causes);
    if (Object.isFrozen(schema)) seen.set(schema, { path, causes });
    return causes;
  };
  const judge = (object: Draft, old?: Draft): readonly FieldCause[] => {
    const schemas = schemasOf(object);
    const [first] = schemas;
    // What all versions share is one schema to the server, which stands elsewhere then.
    const shared = schemas.every(({ schema }) => sameJson(schema, first?.schema));
    return (shared ? schemas.slice(0, 1) : schemas).flatMap(({ name, schema }, index) => {
      const before = old && schemasOf(old).find((each) => each.name === name);
      const path = shared
        ? 'spec.validation.openAPIV3Schema'
        : `spec.versions[${String(index)}].schema.openAPIV3Schema`;
      return before !== undefined && sameJson(before.schema, schema) ? [] : causesOf(schema, path);
    });
  };
  return {
    ...model,
    validateCreate: (object, context) => [...model.validateCreate(object, context), ...judge(object)],
    validateUpdate: (object, old, context) => [
      ...model.validateUpdate(object, old, context),
      ...(context.subresource === undefined ? judge(object, old as unknown as Draft) : []),
    ],
  };
}

function schemasOf(definition: Draft): { readonly name: unknown; readonly schema: JsonObject }[] {
  return items(specOf(definition)['versions']).map((version) => ({
    name: version['name'],
    schema: part(part(version, 'schema'), 'openAPIV3Schema'),
  }));
}

/** Of a schema whose rules do not compile nothing is said here: who serves the kind refuses it. */
function costCauses(schema: JsonObject, { path, cel }: { path: string; cel: CelEngine }): readonly FieldCause[] {
  try {
    // A schema of the store is one of OpenAPI; what it lacks is looked at as absent.
    const errors = cel.compile(schema as JsonSchemaProps).costErrors(path);
    return errors.map((error) => ({ reason: error.type, message: fieldErrorBody(error), field: error.field }));
  } catch (error) {
    if (error instanceof Error && 'path' in error) return [];
    throw error;
  }
}
