import type { FieldError } from '../field-error.ts';
import { fieldPath } from '../internal/field-path.ts';
import type { FieldPath } from '../internal/field-path.ts';
import { compileNode } from '../internal/node.ts';
import { prune } from '../internal/prune.ts';
import { validateNode, Walk } from '../internal/validate/schema.ts';
import { copyJson, equalJson } from '../json.ts';
import type { JsonSchemaProps } from '../schema-props.ts';
import { child, invalid, property } from './path-errors.ts';

/** A default must be valid and know no unknown fields (`ValidateDefaults`; inside metadata it is not looked at here). */
export function defaultErrors(schema: JsonSchemaProps, path: FieldPath, isResource = true): FieldError[] {
  const errors =
    schema.default === undefined || schema.default === null ? [] : ownErrors(schema, child(path, 'default'));
  if (schema.items !== undefined)
    errors.push(...defaultErrors(schema.items, child(path, 'items'), isEmbedded(schema.items)));
  for (const [name, each] of Object.entries(schema.properties ?? {}))
    if (!isResource || !metaFields.has(name))
      errors.push(...defaultErrors(each, property(path, name), isEmbedded(each)));
  return errors;
}

const metaFields = new Set(['apiVersion', 'kind', 'metadata']);

function isEmbedded(schema: JsonSchemaProps): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

function ownErrors(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const value = schema.default ?? null;
  const node = compileNode(schema);
  // Pruned in a field of its own, so that lists and scalars are pruned as well.
  const holder = compileNode({ type: 'object', properties: { value: schema } });
  const pruned = { value: copyJson(value) };
  prune(pruned, holder);
  const errors = equalJson(pruned.value, value) ? [] : [invalid(path, value, 'must not have unknown fields')];
  const walk = new Walk();
  validateNode(walk, node, value);
  const prefix = fieldPath(path);
  return [
    ...errors,
    ...walk.result.findings.map(({ error }) => ({
      ...error,
      field: error.field === '<nil>' ? prefix : `${prefix}.${error.field}`,
    })),
  ];
}
