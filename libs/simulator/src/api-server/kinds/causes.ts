import type { FieldCause } from '../status.ts';

/** A value as messages show it: Go's JSON, in which strings are quoted. */
const shown = (value: unknown): string => JSON.stringify(value) ?? 'null';

/** The field's value is wrong. */
export const wrong = (field: string, value: unknown, detail: string): FieldCause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${shown(value)}${detail === '' ? '' : `: ${detail}`}`,
  field,
});

/** The field has to be given. */
export const required = (field: string, detail = ''): FieldCause => ({
  reason: 'FieldValueRequired',
  message: `Required value${detail === '' ? '' : `: ${detail}`}`,
  field,
});

/** The field may not be given, or not be changed. */
export const refused = (field: string, detail: string): FieldCause => ({
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${detail}`,
  field,
});

/** The value occurs twice. */
export const duplicate = (field: string, value: unknown): FieldCause => ({
  reason: 'FieldValueDuplicate',
  message: `Duplicate value: ${shown(value)}`,
  field,
});

/** The value is none of those that are known. */
export const unsupported = (field: string, value: unknown, known: readonly string[]): FieldCause => ({
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${shown(value)}: supported values: ${known.map((text) => `"${text}"`).join(', ')}`,
  field,
});

/** The value as a whole is wrong, and is not shown. */
export const wrongWhole = (field: string, detail: string): FieldCause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${detail}`,
  field,
});

/** The text is longer than so many bytes; nothing where it is not. */
export const tooLong = (field: string, text: string, most: number): readonly FieldCause[] =>
  new TextEncoder().encode(text).length > most
    ? [{ reason: 'FieldValueTooLong', message: `Too long: may not be more than ${most} bytes`, field }]
    : [];

/** There are more than so many; nothing where there are not. */
export const tooMany = (field: string, count: number, most: number): readonly FieldCause[] =>
  count > most
    ? [{ reason: 'FieldValueTooMany', message: `Too many: ${count}: must have at most ${most} items`, field }]
    : [];
