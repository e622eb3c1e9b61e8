import type { FieldError } from '../field-error.ts';

import type { JsonObject, JsonValue } from '../json.ts';
import { fieldPath } from './field-path.ts';
import type { FieldPath } from './field-path.ts';
import { coerceMetadata, MetadataTypeError } from './metadata/coerce.ts';
import { dns1035Errors, pathSegmentErrors } from './metadata/names.ts';
import { validateMetadata } from './metadata/validate.ts';
import type { Node } from './node.ts';

/** What coercing embedded resources found. */
export interface Coercion {
  /** Paths of metadata fields that Kubernetes does not know; they are gone. */
  readonly unknown: string[];
  /** The first error; the object cannot be decoded. */
  error?: FieldError;
}

/** Brings apiVersion, kind and metadata of embedded resources into form, in place (`CoerceWithOptions`). */
export function coerceEmbedded(value: JsonValue | undefined, node: Node, isRoot = true): Coercion {
  const coercion: Coercion = { unknown: [] };
  // The root's own metadata is the API server's affair.
  visit(value, node, undefined, (at, object, path) => {
    if (coercion.error === undefined && !(isRoot && path === undefined) && at.embeddedResource)
      coerceOne(object, path, coercion);
  });
  return coercion;
}

type Visit = (node: Node, object: JsonObject, path: FieldPath | undefined) => void;

function visit(value: JsonValue | undefined, node: Node, path: FieldPath | undefined, act: Visit): void {
  if (typeof value !== 'object' || value === null || !node.contents.embedded) return;
  if (Array.isArray(value)) {
    const { items } = node;
    if (items !== undefined)
      for (const [index, item] of value.entries()) visit(item, items, { parent: path, index }, act);
    return;
  }
  act(node, value, path);
  for (const key of Object.keys(value)) {
    const property = node.properties.get(key);
    if (property !== undefined) visit(value[key], property, { parent: path, child: key }, act);
    else if (node.additionalProperties !== undefined)
      visit(value[key], node.additionalProperties, { parent: path, key }, act);
  }
}

function coerceOne(object: JsonObject, path: FieldPath | undefined, coercion: Coercion): void {
  for (const key of ['apiVersion', 'kind']) {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    if (value === undefined || typeof value === 'string') continue;
    coercion.error = {
      type: 'FieldValueInvalid',
      field: fieldPath({ parent: path, child: key }),
      value,
      detail: 'must be a string',
    };
    return;
  }
  if (!Object.hasOwn(object, 'metadata') || object.metadata === undefined) return;
  const at: FieldPath = { parent: path, child: 'metadata' };
  try {
    object.metadata = coerceMetadata(object.metadata, coercion.unknown, fieldPath(at));
  } catch (error) {
    if (!(error instanceof MetadataTypeError)) throw error;
    coercion.error = { type: 'FieldValueInvalid', field: fieldPath(at), value: object.metadata, detail: error.message };
  }
}

/** Errors in apiVersion, kind and metadata of embedded resources (`schemaobjectmeta.Validate`). */
export function validateEmbedded(value: JsonValue | undefined, node: Node): FieldError[] {
  const errors: FieldError[] = [];
  visit(value, node, undefined, (at, object, path) => {
    if (at.embeddedResource && path !== undefined) errors.push(...embeddedErrors(object, path));
  });
  return errors;
}

function embeddedErrors(object: JsonObject, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const check = (child: 'apiVersion' | 'kind', words: (text: string) => string | undefined): void => {
    const field = fieldPath({ parent: path, child });
    const value = Object.hasOwn(object, child) ? object[child] : undefined;
    if (value === undefined) errors.push({ type: 'FieldValueRequired', field, detail: '' });
    else if (typeof value !== 'string')
      errors.push({ type: 'FieldValueInvalid', field, value, detail: 'must be a string' });
    else {
      const detail = value === '' ? 'must not be empty' : words(value);
      if (detail !== undefined) errors.push({ type: 'FieldValueInvalid', field, value, detail });
    }
  };
  check('apiVersion', (text) => (text.split('/').length > 2 ? `unexpected GroupVersion string: ${text}` : undefined));
  check('kind', (text) => {
    const words = dns1035Errors(text.toLowerCase());
    return words.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${words.join(',')}`;
  });
  return [...errors, ...metadataErrors(object, { parent: path, child: 'metadata' })];
}

function metadataErrors(object: JsonObject, path: FieldPath): FieldError[] {
  const metadata = Object.hasOwn(object, 'metadata') ? object.metadata : undefined;
  if (metadata === undefined) return [];
  try {
    const coerced = coerceMetadata(metadata, [], '');
    const namespaced = typeof coerced.namespace === 'string' && coerced.namespace !== '';
    return validateMetadata(path, { name: 'fakename', ...coerced }, { namespaced, nameErrors: pathSegmentErrors });
  } catch (error) {
    if (!(error instanceof MetadataTypeError)) throw error;
    return [{ type: 'FieldValueInvalid', field: fieldPath(path), value: metadata, detail: error.message }];
  }
}
