import type { JsonSchemaProps } from '@ordinal/schema';
import { findWrongKeyword } from './keywords.ts';
import type { DocumentPath } from './locate.ts';

/** The first place where a schema breaks the rules of structural schemas. */
export interface StructuralFault {
  /** From the schema's root. */
  readonly path: DocumentPath;
  readonly message: string;
}

/**
 * Finds the first breach of the rules that the API server has for structural schemas, or undefined.
 * See "Specifying a structural schema" in the Kubernetes documentation and `apiextensions-apiserver/pkg/apiserver/schema/validation.go`.
 */
export function findNonStructural(schema: JsonSchemaProps): StructuralFault | undefined {
  if (schema.type !== 'object') return { path: ['type'], message: 'the root must have type: object' };
  return checkNode(schema, []);
}

const types = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean']);
const forbidden = [
  '$ref',
  'definitions',
  'dependencies',
  'patternProperties',
  'additionalItems',
  'discriminator',
] as const;

function checkNode(schema: JsonSchemaProps, path: DocumentPath): StructuralFault | undefined {
  const fault = (at: DocumentPath, message: string): StructuralFault => ({ path: [...path, ...at], message });
  if (!isObject(schema)) return fault([], 'a schema is an object');
  const wrong = findWrongKeyword(schema);
  if (wrong !== undefined) return fault(wrong.path, wrong.message);
  const unknownKeyword = forbidden.find((key) => Object.hasOwn(schema, key));
  if (unknownKeyword !== undefined)
    return fault([unknownKeyword], `${unknownKeyword} is not allowed in a CRD; write the schema out`);
  return (
    checkType(schema, fault) ?? checkShape(schema, fault) ?? checkChildren(schema, path) ?? checkJunctors(schema, path)
  );
}

type Fault = (at: DocumentPath, message: string) => StructuralFault;

function checkType(schema: JsonSchemaProps, fault: Fault): StructuralFault | undefined {
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const intOrString = schema['x-kubernetes-int-or-string'] === true;
  if (schema.type === undefined || schema.type === '') {
    if (!open && !intOrString)
      return fault(
        [],
        'type is missing; give one, or x-kubernetes-preserve-unknown-fields, or x-kubernetes-int-or-string',
      );
  } else {
    if (typeof schema.type !== 'string' || !types.has(schema.type))
      return fault(['type'], `type ${JSON.stringify(schema.type)} is none of ${[...types].join(', ')}`);
  }
  if (schema['x-kubernetes-embedded-resource'] === true && schema.type !== 'object')
    return fault(['type'], 'x-kubernetes-embedded-resource needs type: object');
  if (schema['x-kubernetes-embedded-resource'] === true && !open && schema.properties === undefined) {
    return fault([], 'x-kubernetes-embedded-resource needs properties or x-kubernetes-preserve-unknown-fields');
  }
  return undefined;
}

function checkShape(schema: JsonSchemaProps, fault: Fault): StructuralFault | undefined {
  const { properties, additionalProperties, items } = schema;
  if (schema.uniqueItems === true)
    return fault(['uniqueItems'], 'uniqueItems is not allowed in a CRD; use x-kubernetes-list-type: set');
  if (properties !== undefined && !isObject(properties))
    return fault(['properties'], 'properties is an object of schemas');
  if (additionalProperties === false)
    return fault(
      ['additionalProperties'],
      'additionalProperties can not be false; leave it out, unknown fields are pruned',
    );
  if (additionalProperties !== undefined && properties !== undefined && Object.keys(properties).length > 0) {
    return fault(['additionalProperties'], 'properties and additionalProperties exclude each other');
  }
  if (additionalProperties !== undefined && additionalProperties !== true && !isObject(additionalProperties)) {
    return fault(['additionalProperties'], 'additionalProperties is a schema');
  }
  if (Array.isArray(items)) return fault(['items'], 'items is one schema, not a list of them');
  if (schema.type === 'array' && items === undefined) return fault([], 'items is missing; an array says what it holds');
  return undefined;
}

function checkChildren(schema: JsonSchemaProps, path: DocumentPath): StructuralFault | undefined {
  for (const [key, child] of Object.entries(schema.properties ?? {})) {
    const fault = checkNode(child, [...path, 'properties', key]);
    if (fault !== undefined) return fault;
  }
  if (schema.items !== undefined) return checkNode(schema.items, [...path, 'items']);
  const values = schema.additionalProperties;
  return typeof values === 'object' ? checkNode(values, [...path, 'additionalProperties']) : undefined;
}

/** Keywords that say what a value is, and so may not stand inside a logical junctor. */
const structureOnly = ['description', 'type', 'default', 'additionalProperties', 'nullable', 'title'] as const;
type Junctor = 'allOf' | 'anyOf' | 'oneOf';

function checkJunctors(schema: JsonSchemaProps, path: DocumentPath): StructuralFault | undefined {
  // `anyOf: [{type: integer}, {type: string}]` is how int-or-string is written, alone or in the first place of an allOf.
  const allowTypes = schema['x-kubernetes-int-or-string'] === true;
  for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const satisfies readonly Junctor[]) {
    const list = schema[junctor];
    if (list === undefined) continue;
    const entries: unknown = list;
    if (!Array.isArray(entries)) return { path: [...path, junctor], message: `${junctor} is a list of schemas` };
    for (const [index, entry] of list.entries()) {
      const fault = checkValueValidation(entry, [...path, junctor, index], allowTypes);
      if (fault !== undefined) return fault;
    }
  }
  return schema.not === undefined ? undefined : checkValueValidation(schema.not, [...path, 'not'], false);
}

/** What may not stand inside a logical junctor, or not in this form. */
function findMisplaced(schema: JsonSchemaProps, path: DocumentPath): StructuralFault | undefined {
  const extension = Object.keys(schema).find(
    (key) => key.startsWith('x-kubernetes-') && key !== 'x-kubernetes-validations',
  );
  if (extension !== undefined)
    return {
      path: [...path, extension],
      message: `${extension} is not allowed inside allOf, anyOf, oneOf or not; move it out`,
    };
  return schema.properties === undefined || isObject(schema.properties)
    ? undefined
    : { path: [...path, 'properties'], message: 'properties is an object of schemas' };
}

function checkValueValidation(
  schema: JsonSchemaProps,
  path: DocumentPath,
  allowTypes: boolean,
): StructuralFault | undefined {
  if (!isObject(schema)) return { path, message: 'a schema is an object' };
  const wrong = findWrongKeyword(schema);
  if (wrong !== undefined) return { path: [...path, ...wrong.path], message: wrong.message };
  for (const key of structureOnly) {
    if (schema[key] === undefined || (key === 'type' && allowTypes)) continue;
    return { path: [...path, key], message: `${key} is not allowed inside allOf, anyOf, oneOf or not; move it out` };
  }
  const misplaced = findMisplaced(schema, path);
  if (misplaced !== undefined) return misplaced;
  for (const [key, child] of Object.entries(schema.properties ?? {})) {
    const fault = checkValueValidation(child, [...path, 'properties', key], false);
    if (fault !== undefined) return fault;
  }
  if (schema.items !== undefined) {
    const fault = checkValueValidation(schema.items, [...path, 'items'], false);
    if (fault !== undefined) return fault;
  }
  for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const satisfies readonly Junctor[]) {
    const list: unknown = schema[junctor];
    if (list !== undefined && !Array.isArray(list))
      return { path: [...path, junctor], message: `${junctor} is a list of schemas` };
    for (const [index, entry] of listOf(schema[junctor]).entries()) {
      const fault = checkValueValidation(entry, [...path, junctor, index], allowTypes);
      if (fault !== undefined) return fault;
    }
  }
  return schema.not === undefined ? undefined : checkValueValidation(schema.not, [...path, 'not'], false);
}

const listOf = (value: readonly JsonSchemaProps[] | undefined): readonly JsonSchemaProps[] => value ?? [];
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
