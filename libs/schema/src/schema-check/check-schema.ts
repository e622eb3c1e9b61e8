import type { FieldError } from '../field-error.ts';
import { fieldErrorMessage } from '../field-error.ts';
import type { FieldPath } from '../internal/field-path.ts';
import { compareBytes } from '../internal/go-text.ts';
import type { CelEngine } from '../rule-validator.ts';
import type { JsonSchemaProps } from '../schema-props.ts';
import { defaultErrors } from './defaults.ts';
import { structuralErrors } from './structural.ts';
import { useErrors } from './rules-of-use.ts';

/** How {@link checkSchema} names and judges. */
export interface CheckSchemaOptions {
  /** The path of the schema in the CRD. Default `spec.validation.openAPIV3Schema`, where the API server puts a schema that all versions share. */
  readonly path?: string;
  /** Compiles the rules; without it they are not judged. */
  readonly cel?: CelEngine;
}

/**
 * What the API server refuses in the schema of a CRD: what is not structural, what Kubernetes does not support, defaults
 * that are not valid, rules that do not compile. Empty when the schema is fine. The estimated cost of rules is not judged,
 * and the reason for a rule that does not compile is in other words than the API server's.
 */
export function checkSchema(schema: JsonSchemaProps, options: CheckSchemaOptions = {}): FieldError[] {
  const path: FieldPath = { parent: undefined, child: options.path ?? 'spec.validation.openAPIV3Schema' };
  const structural = structuralErrors(schema, path).sort((a, b) =>
    compareBytes(fieldErrorMessage(a), fieldErrorMessage(b)),
  );
  const errors = [...(structural.length > 0 ? structural : defaultErrors(schema, path)), ...useErrors(schema, path)];
  if (errors.length > 0 || options.cel === undefined) return errors;
  return ruleErrors(schema, path, options.cel);
}

function ruleErrors(schema: JsonSchemaProps, path: FieldPath, cel: CelEngine): FieldError[] {
  try {
    cel.compile(schema);
    return [];
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
