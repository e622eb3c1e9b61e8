import type { FieldError } from '../field-error.ts';
import type { FieldPath } from '../internal/field-path.ts';
import { compilePattern } from '../internal/pattern.ts';
import { equalJson } from '../json.ts';
import type { JsonValue } from '../json.ts';
import type { JsonSchemaProps } from '../schema-props.ts';
import { child, entry, forbidden, invalid, property, required } from './path-errors.ts';

type Level = 'root' | 'item' | 'field';

const emptyType: Record<Level, string> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** What makes a schema structural (`ValidateStructural` of apiextensions-apiserver). */
export function structuralErrors(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  collectInvariants(schema, 'root', path, errors);
  return [...errors, ...completeness(schema, schema, [path, path])];
}

function additionalSchema(schema: JsonSchemaProps): JsonSchemaProps | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

function collectInvariants(schema: JsonSchemaProps, level: Level, path: FieldPath, errors: FieldError[]): void {
  const { items, additionalProperties } = schema;
  if (schema.type === 'array' && items === undefined) errors.push(required(child(path, 'items'), 'must be specified'));
  if (items !== undefined) collectInvariants(items, 'item', child(path, 'items'), errors);
  for (const [name, each] of Object.entries(schema.properties ?? {}))
    collectInvariants(each, 'field', property(path, name), errors);
  if (additionalProperties !== undefined && level === 'root') {
    errors.push(forbidden(child(path, 'additionalProperties'), 'must not be used at the root'));
  }
  const values = additionalSchema(schema);
  if (values !== undefined) collectInvariants(values, 'field', child(path, 'additionalProperties'), errors);
  errors.push(
    ...extensionErrors(schema, path),
    ...valueErrors(schema, path, intOrStringException(schema)),
    ...typeErrors(schema, level, path),
    ...metaErrors(schema, level, path),
  );
}

function extensionErrors(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  if (schema['x-kubernetes-int-or-string'] !== true) return [];
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter((name) => schema[name] === true)
    .map((name) => invalid(child(path, name), true, 'must be false if x-kubernetes-int-or-string is true'));
}

function typeErrors(schema: JsonSchemaProps, level: Level, path: FieldPath): FieldError[] {
  const { type = '' } = schema;
  const errors: FieldError[] = [];
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (embedded && type !== 'object') {
    const words = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(child(path, 'type'), words) : invalid(child(path, 'type'), type, words));
  } else if (type === '' && schema['x-kubernetes-int-or-string'] !== true && !open) {
    errors.push(required(child(path, 'type'), emptyType[level]));
  }
  if (embedded && schema.additionalProperties !== undefined) {
    errors.push(
      forbidden(child(path, 'additionalProperties'), 'must not be used if x-kubernetes-embedded-resource is set'),
    );
  }
  if (level === 'root' && type !== '' && type !== 'object')
    errors.push(invalid(child(path, 'type'), type, 'must be object at the root'));
  if (embedded && !open && Object.keys(schema.properties ?? {}).length === 0) {
    errors.push(
      required(
        child(path, 'properties'),
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    );
  }
  return errors;
}

function metaErrors(schema: JsonSchemaProps, level: Level, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const checked = level === 'root' || schema['x-kubernetes-embedded-resource'] === true;
  for (const name of ['kind', 'apiVersion']) {
    const type = schema.properties?.[name]?.type ?? '';
    if (checked && schema.properties?.[name] !== undefined && type !== 'string') {
      errors.push(invalid(child(property(path, name), 'type'), type, 'must be string'));
    }
  }
  const metadata = schema.properties?.metadata;
  if (metadata === undefined) return errors;
  const at = property(path, 'metadata');
  if (checked && metadata.type !== 'object')
    errors.push(invalid(child(at, 'type'), metadata.type ?? '', 'must be object'));
  if (level === 'root' && !restrictsOnlyNames(metadata)) {
    errors.push(
      forbidden(at, 'must not specify anything other than name and generateName, but metadata is implicitly specified'),
    );
  }
  return errors;
}

function restrictsOnlyNames(metadata: JsonSchemaProps): boolean {
  const others = Object.keys(metadata).filter((key) => !['type', 'default', 'properties'].includes(key));
  return (
    others.length === 0 &&
    Object.keys(metadata.properties ?? {}).every((name) => name === 'name' || name === 'generateName')
  );
}

const integerOrString: JsonValue = [{ type: 'integer' }, { type: 'string' }];

/** The two forms in which `anyOf` may name types: by itself, or first in `allOf`. */
function intOrStringException(schema: JsonSchemaProps): 'anyOf' | 'allOf' | 'none' | 'both' {
  const isPattern = (branches: readonly JsonSchemaProps[] | undefined): boolean =>
    branches?.length === 2 && equalJson(JSON.parse(JSON.stringify(branches)) as JsonValue, integerOrString);
  const any = isPattern(schema.anyOf);
  const all = isPattern(schema.allOf?.[0]?.anyOf);
  return any ? (all ? 'both' : 'anyOf') : all ? 'allOf' : 'none';
}

function valueErrors(
  schema: JsonSchemaProps,
  path: FieldPath,
  exception: ReturnType<typeof intOrStringException>,
): FieldError[] {
  const errors: FieldError[] = [];
  const skipAnyOf = exception === 'anyOf' || exception === 'both';
  const skipFirstAllOf = exception === 'allOf' || exception === 'both';
  if (!skipAnyOf)
    for (const [i, branch] of (schema.anyOf ?? []).entries())
      errors.push(...nestedErrors(branch, entry(path, 'anyOf', i), false));
  for (const [i, branch] of (schema.allOf ?? []).entries())
    errors.push(...nestedErrors(branch, entry(path, 'allOf', i), skipFirstAllOf && i === 0));
  for (const [i, branch] of (schema.oneOf ?? []).entries())
    errors.push(...nestedErrors(branch, entry(path, 'oneOf', i), false));
  if (schema.not !== undefined) errors.push(...nestedErrors(schema.not, child(path, 'not'), false));
  const { pattern } = schema;
  const reason = pattern ? patternError(pattern) : undefined;
  if (pattern && reason !== undefined) {
    errors.push(invalid(child(path, 'pattern'), pattern, `must be a valid regular expression, but isn't: ${reason}`));
  }
  return errors;
}

function patternError(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What a branch of a junctor must not say: it may only narrow values. */
const outsideOnly: readonly (readonly [keyof JsonSchemaProps, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function nestedErrors(schema: JsonSchemaProps, path: FieldPath, skipAnyOf: boolean): FieldError[] {
  const errors = valueErrors(schema, path, skipAnyOf ? 'anyOf' : 'none');
  if (schema.items !== undefined) errors.push(...nestedErrors(schema.items, child(path, 'items'), false));
  for (const [name, each] of Object.entries(schema.properties ?? {}))
    errors.push(...nestedErrors(each, property(path, name), false));
  for (const [name, words] of outsideOnly) {
    const value = schema[name];
    const empty =
      value === undefined || value === '' || value === false || (Array.isArray(value) && value.length === 0);
    if (!empty) errors.push(forbidden(child(path, name), words));
  }
  if (schema.properties?.metadata !== undefined)
    errors.push(forbidden(property(path, 'metadata'), 'must not be specified in a nested context'));
  return errors;
}

/** What a branch narrows must be described outside of it; the API server looks at the root's branches only. Paths: where it should stand, and where it is narrowed. */
function completeness(
  branching: JsonSchemaProps,
  outer: JsonSchemaProps,
  [at, from]: readonly [FieldPath, FieldPath],
): FieldError[] {
  const branches: (readonly [JsonSchemaProps, FieldPath])[] = [];
  if (branching.not !== undefined) branches.push([branching.not, child(from, 'not')]);
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [i, branch] of (branching[name] ?? []).entries()) branches.push([branch, entry(from, name, i)]);
  }
  return branches.flatMap(([branch, path]) => nestedCompleteness(branch, outer, [at, path]));
}

function nestedCompleteness(
  branch: JsonSchemaProps,
  outer: JsonSchemaProps | undefined,
  [at, from]: readonly [FieldPath, FieldPath],
): FieldError[] {
  if (outer === undefined) return [required(at, `because it is defined in ${pathOf(from)}`)];
  const errors = completeness(branch, outer, [at, from]);
  if (branch.items !== undefined)
    errors.push(...nestedCompleteness(branch.items, outer.items, [child(at, 'items'), child(from, 'items')]));
  for (const [name, each] of Object.entries(branch.properties ?? {})) {
    errors.push(...nestedCompleteness(each, outer.properties?.[name], [property(at, name), property(from, name)]));
  }
  return errors;
}

function pathOf(path: FieldPath): string {
  return required(path, '').field;
}
