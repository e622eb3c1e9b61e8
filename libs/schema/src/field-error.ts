import { printJson, printNumber, quote } from './internal/go-text.ts';
import type { JsonValue } from './json.ts';

/** Why a field is refused: the `reason` of a cause in a Kubernetes Status. */
export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/** One refusal: which field, why, and in which words. Data only; {@link fieldErrorBody} makes the API server's text of it. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** Path such as `spec.gates[0].name`; `<nil>` where the API server names no field. */
  readonly field: string;
  /** The refused value; absent where the API server does not print it. */
  readonly value?: JsonValue;
  /** Words after the value; may be empty. */
  readonly detail: string;
}

const titles: Record<FieldErrorType, string> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
};

const valueless = new Set<FieldErrorType>([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'InternalError',
]);

/**
 * The error's words without its field, as in `details.causes[].message` of a Status
 * (`field.Error.ErrorBody` of k8s.io/apimachinery).
 */
export function fieldErrorBody(error: FieldError): string {
  const title = titles[error.type];
  const head = error.value === undefined || valueless.has(error.type) ? title : `${title}: ${printValue(error.value)}`;
  return error.detail === '' ? head : `${head}: ${error.detail}`;
}

function printValue(value: JsonValue): string {
  if (typeof value === 'string') return quote(value);
  return typeof value === 'number' ? printNumber(value) : printJson(value);
}

/** Field and words in one line, as `field.Error.Error` prints them. */
export function fieldErrorMessage(error: FieldError): string {
  return `${error.field}: ${fieldErrorBody(error)}`;
}

/** The object that an {@link InvalidStatus} is about. */
export interface InvalidSubject {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** A Kubernetes Status that refuses an object with code 422. */
export interface InvalidStatus {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Record<string, never>;
  readonly status: 'Failure';
  readonly message: string;
  readonly reason: 'Invalid';
  readonly details: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly causes: { readonly reason: string; readonly message: string; readonly field: string }[];
  };
  readonly code: 422;
}

/** The answer of the API server to an invalid object (`errors.NewInvalid` of k8s.io/apimachinery). */
export function invalidStatus(subject: InvalidSubject, errors: readonly FieldError[]): InvalidStatus {
  const lines = [...new Set(errors.map(fieldErrorMessage))];
  const kind = subject.group === '' ? subject.kind : `${subject.kind}.${subject.group}`;
  const list = lines.length === 1 ? (lines[0] ?? '') : `[${lines.join(', ')}]`;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${kind} ${quote(subject.name)} is invalid: ${list}`,
    reason: 'Invalid',
    details: {
      ...(subject.name === '' ? {} : { name: subject.name }),
      ...(subject.group === '' ? {} : { group: subject.group }),
      ...(subject.kind === '' ? {} : { kind: subject.kind }),
      causes: errors.map((error) => ({ reason: error.type, message: fieldErrorBody(error), field: error.field })),
    },
    code: 422,
  };
}
