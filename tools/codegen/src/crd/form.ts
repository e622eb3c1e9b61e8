import type { JsonSchemaProps } from '@ordinal/schema';
import { findWrongKeyword } from './keywords.ts';
import type { FormFault } from './keywords.ts';
import type { DocumentPath } from './locate.ts';

/**
 * Finds the first place where a schema is not of the form that the API server decodes, or undefined: after that it can be asked with `checkSchema` whether
 * it is structural, which is not looked at here. The path is from the schema's root.
 */
export const findMalformed = (schema: JsonSchemaProps): FormFault | undefined => checkNode(schema, []);

/** What no CRD may say, and a schema that is typed can't. */
const forbidden = [
  '$ref',
  'definitions',
  'dependencies',
  'patternProperties',
  'additionalItems',
  'discriminator',
] as const;

function checkNode(schema: JsonSchemaProps, path: DocumentPath): FormFault | undefined {
  const fault = (at: DocumentPath, message: string): FormFault => ({ path: [...path, ...at], message });
  if (!isObject(schema)) return fault([], 'a schema is an object');
  const wrong = findWrongKeyword(schema);
  if (wrong !== undefined) return fault(wrong.path, wrong.message);
  const key = forbidden.find((each) => Object.hasOwn(schema, each));
  if (key !== undefined) return fault([key], `${key} is not allowed in a CRD; write the schema out`);
  const { properties, additionalProperties, items } = schema;
  if (properties !== undefined && !isObject(properties))
    return fault(['properties'], 'properties is an object of schemas');
  if (
    additionalProperties !== undefined &&
    typeof additionalProperties !== 'boolean' &&
    !isObject(additionalProperties)
  )
    return fault(['additionalProperties'], 'additionalProperties is a schema');
  if (Array.isArray(items)) return fault(['items'], 'items is one schema, not a list of them');
  for (const name of junctors) {
    const list: unknown = schema[name];
    if (list !== undefined && !Array.isArray(list)) return fault([name], `${name} is a list of schemas`);
  }
  return checkBelow(schema, path);
}

const junctors = ['allOf', 'anyOf', 'oneOf'] as const;

function checkBelow(schema: JsonSchemaProps, path: DocumentPath): FormFault | undefined {
  const { properties = {}, additionalProperties, items, not } = schema;
  const below: (readonly [JsonSchemaProps, DocumentPath])[] = Object.entries(properties).map(
    ([key, child]) => [child, ['properties', key]] as const,
  );
  if (items !== undefined) below.push([items, ['items']]);
  if (typeof additionalProperties === 'object') below.push([additionalProperties, ['additionalProperties']]);
  for (const name of junctors)
    for (const [index, branch] of (schema[name] ?? []).entries()) below.push([branch, [name, index]]);
  if (not !== undefined) below.push([not, ['not']]);
  for (const [child, steps] of below) {
    const fault = checkNode(child, [...path, ...steps]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
