import type { FieldError } from '../field-error.ts';
import { fieldPath } from '../internal/field-path.ts';
import type { FieldPath } from '../internal/field-path.ts';
import { quote } from '../internal/go-text.ts';
import type { JsonValue } from '../json.ts';

/** A step to a field. */
export function child(parent: FieldPath, ...names: readonly string[]): FieldPath {
  return names.reduce<FieldPath>((at, name) => ({ parent: at, child: name }), parent);
}

/** A step to a property, as `properties[name]`. */
export function property(parent: FieldPath, name: string): FieldPath {
  return { parent: { parent, child: 'properties' }, key: name };
}

/** A step to an entry of a list field, as `allOf[0]`. */
export function entry(parent: FieldPath, name: string, index: number): FieldPath {
  return { parent: { parent, child: name }, index };
}

/** The field must not be there, or not say this. */
export function forbidden(path: FieldPath, detail: string): FieldError {
  return { type: 'FieldValueForbidden', field: fieldPath(path), detail };
}

/** The field must be there. */
export function required(path: FieldPath, detail: string): FieldError {
  return { type: 'FieldValueRequired', field: fieldPath(path), detail };
}

/** The field's value is wrong. */
export function invalid(path: FieldPath, value: JsonValue, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field: fieldPath(path), value, detail };
}

/** The field's value is none of those that are known. */
export function notSupported(path: FieldPath, value: JsonValue, choices: readonly string[]): FieldError {
  const detail = `supported values: ${choices.map(quote).join(', ')}`;
  return { type: 'FieldValueNotSupported', field: fieldPath(path), value, detail };
}
