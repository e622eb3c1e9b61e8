import type { FieldError } from '../field-error.ts';
import { coerceEmbedded, validateEmbedded } from '../internal/embedded.ts';
import { fieldPath } from '../internal/field-path.ts';
import type { FieldPath } from '../internal/field-path.ts';
import { compileNode } from '../internal/node.ts';
import { prune } from '../internal/prune.ts';
import { validateNode, Walk } from '../internal/validate/schema.ts';
import { copyJson, equalJson } from '../json.ts';
import type { CelEngine } from '../rule-validator.ts';
import type { JsonSchemaProps } from '../schema-props.ts';
import { child, invalid, property } from './path-errors.ts';

/** Where a schema stands, and what its defaults are judged with. */
interface Place {
  readonly path: FieldPath;
  /** Judges the rules; without it a default that breaks one passes. */
  readonly cel: CelEngine | undefined;
  readonly isResource?: boolean;
}

/** A default must be valid, break no rule, know no unknown fields, and name its kind where it is a resource (`ValidateDefaults`; inside metadata it is not looked at here). */
export function defaultErrors(schema: JsonSchemaProps, { path, cel, isResource = true }: Place): FieldError[] {
  const errors =
    schema.default === undefined || schema.default === null
      ? []
      : ownErrors({ ...schema, 'x-kubernetes-embedded-resource': isResource }, child(path, 'default'), cel);
  if (schema.items !== undefined)
    errors.push(
      ...defaultErrors(schema.items, { path: child(path, 'items'), cel, isResource: isEmbedded(schema.items) }),
    );
  for (const [name, each] of Object.entries(schema.properties ?? {}))
    if (!isResource || !metaFields.has(name))
      errors.push(...defaultErrors(each, { path: property(path, name), cel, isResource: isEmbedded(each) }));
  return errors;
}

const metaFields = new Set(['apiVersion', 'kind', 'metadata']);

function isEmbedded(schema: JsonSchemaProps): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

function ownErrors(schema: JsonSchemaProps, path: FieldPath, cel: CelEngine | undefined): FieldError[] {
  const value = schema.default ?? null;
  // Pruned in a field of its own, so that lists and scalars are pruned as well.
  const holder = compileNode({ type: 'object', properties: { value: schema } });
  const pruned = { value: copyJson(value) };
  prune(pruned, holder);
  const errors = equalJson(pruned.value, value) ? [] : [invalid(path, value, 'must not have unknown fields')];
  const prefix = fieldPath(path);
  const held = { value: copyJson(value) };
  const { error } = coerceEmbedded(held, holder);
  const misnamed = error === undefined ? validateEmbedded(held, holder) : [error];
  // Of what is no resource no more is said.
  if (misnamed.length > 0)
    return [...errors, ...misnamed.map((each) => ({ ...each, field: prefix + each.field.slice('value'.length) }))];
  const walk = new Walk();
  validateNode(walk, compileNode(byTypeAlone(schema)), value);
  return [
    ...errors,
    ...walk.result.findings.map(({ error }) => ({
      ...error,
      field: error.field === '<nil>' ? prefix : `${prefix}.${error.field}`,
    })),
    ...(cel !== undefined && walk.result.valid && holder.contents.rules ? brokenRules(schema, path, cel) : []),
  ];
}

/** The API server judges defaults by `type` as it is written: int-or-string means nothing there, so that without a type anything is valid. */
function byTypeAlone(schema: JsonSchemaProps): JsonSchemaProps {
  const { items, properties, additionalProperties } = schema;
  return {
    ...schema,
    'x-kubernetes-int-or-string': false,
    ...(items === undefined ? {} : { items: byTypeAlone(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, byTypeAlone(each)])),
        }),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: byTypeAlone(additionalProperties) } : {}),
  };
}

/** The rules that the default breaks. A rule that does not compile is reported where it stands, not here. */
function brokenRules(schema: JsonSchemaProps, path: FieldPath, cel: CelEngine): FieldError[] {
  try {
    const rules = cel.compile({ type: 'object', properties: { value: schema } });
    const holder = { value: copyJson(schema.default ?? null) };
    const prefix = fieldPath(path);
    // As an object that is created and as one that is updated with itself: both have to be fine.
    const errors = [undefined, holder].flatMap((old) => rules.validate(holder, old, undefined));
    const distinct = new Map(errors.map((error) => [JSON.stringify(error), error]));
    return [...distinct.values()].map((error) => ({ ...error, field: prefix + error.field.slice('value'.length) }));
  } catch (error) {
    if (error instanceof Error && 'path' in error) return [];
    throw error;
  }
}
