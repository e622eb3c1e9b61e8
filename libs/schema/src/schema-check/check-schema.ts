import type { FieldError } from '../field-error.ts';
import { fieldErrorMessage } from '../field-error.ts';
import { fieldPath } from '../internal/field-path.ts';
import type { FieldPath } from '../internal/field-path.ts';
import { compareBytes } from '../internal/go-text.ts';
import type { CelEngine } from '../rule-validator.ts';
import type { JsonSchemaProps } from '../schema-props.ts';
import { defaultErrors } from './defaults.ts';
import { isConvertible, useErrors } from './rules-of-use.ts';
import { structuralErrors } from './structural.ts';

/** How {@link checkSchema} names and judges. */
export interface CheckSchemaOptions {
  /** The path of the schema in the CRD. Default `spec.validation.openAPIV3Schema`, where the API server puts a schema that all versions share. */
  readonly path?: string;
  /** Compiles the rules; without it they are not judged. */
  readonly cel?: CelEngine;
  /** The version has a status subresource, which restricts what may stand at the root. */
  readonly statusSubresource?: boolean;
}

/** What may stand at the root beside a status subresource, as the API server lists it. */
const rootFields =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations';
const rootKeys = new Set([
  ...rootFields.split(' ').map((name) => `${name.charAt(0).toLowerCase()}${name.slice(1)}`),
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]);

function rootErrors(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const { type = '' } = schema;
  if (type !== '' && type !== 'object') {
    const words = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [
      { type: 'FieldValueInvalid', field: fieldPath({ parent: path, child: 'type' }), value: type, detail: words },
    ];
  }
  const odd = Object.entries(schema).some(([key, value]) => value !== false && value !== null && !rootKeys.has(key));
  const detail = `only [${rootFields}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return odd ? [{ type: 'FieldValueInvalid', field: fieldPath(path), detail }] : [];
}

/**
 * What the API server refuses in the schema of a CRD: what is not structural, what Kubernetes does not support, defaults
 * that are not valid, rules that do not compile or are estimated to cost too much. Empty when the schema is fine. The reason
 * for a rule that does not compile is in other words than the API server's.
 */
export function checkSchema(schema: JsonSchemaProps, options: CheckSchemaOptions = {}): FieldError[] {
  const path: FieldPath = { parent: undefined, child: options.path ?? 'spec.validation.openAPIV3Schema' };
  const used = useErrors(schema, path);
  // The API server has no structural schema then, and says no more.
  if (!isConvertible(schema)) return [...rootsOf(options, schema, path), ...used];
  const structural = structuralErrors(schema, path).sort((a, b) =>
    compareBytes(fieldErrorMessage(a), fieldErrorMessage(b)),
  );
  const errors = [
    ...rootsOf(options, schema, path),
    ...(structural.length > 0 ? structural : defaultErrors(schema, { path, cel: options.cel })),
    ...used,
  ];
  if (errors.length > 0 || options.cel === undefined) return errors;
  return ruleErrors(schema, path, options.cel);
}

const rootsOf = (options: CheckSchemaOptions, schema: JsonSchemaProps, path: FieldPath): FieldError[] =>
  options.statusSubresource === true ? rootErrors(schema, path) : [];

function ruleErrors(schema: JsonSchemaProps, path: FieldPath, cel: CelEngine): FieldError[] {
  try {
    return cel.compile(schema).costErrors(fieldPath(path));
  } catch (error) {
    if (!(error instanceof Error) || !('path' in error) || typeof error.path !== 'string') throw error;
    const [, ...steps] = error.path.split('.');
    const root = 'child' in path ? path.child : '';
    return [
      {
        type: 'FieldValueInvalid',
        field: [root, ...steps].join('.'),
        value: '',
        detail: error.message.replace(`${error.path}: `, ''),
      },
    ];
  }
}
