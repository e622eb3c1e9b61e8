import type { FieldError } from './field-error.ts';
import { fieldPath } from './internal/field-path.ts';
import type { FieldPath } from './internal/field-path.ts';
import { coerceMetadata, MetadataTypeError } from './internal/metadata/coerce.ts';
import { subdomainErrors } from './internal/metadata/names.ts';
import { validateMetadata } from './internal/metadata/validate.ts';
import type { JsonValue } from './json.ts';

/** What was found in an object's metadata. */
export interface MetadataFindings {
  readonly errors: readonly FieldError[];
  /** Paths of fields that Kubernetes does not know. */
  readonly unknownFields: readonly string[];
}

/**
 * Judges the `metadata` of a custom object that is to be created, as the API server does: name, labels, annotations, owners, finalizers. That a name or a
 * namespace is missing is no error here: the server makes a name of `generateName`, and clients fill in the namespace.
 */
export function checkMetadata(metadata: JsonValue | undefined): MetadataFindings {
  const path: FieldPath = { parent: undefined, child: 'metadata' };
  const unknownFields: string[] = [];
  try {
    const coerced = coerceMetadata(metadata ?? {}, unknownFields, fieldPath(path));
    // Whatever is given for it, the server counts from 1.
    const named = { name: 'fakename', ...coerced, generation: 1 };
    const namespaced = typeof coerced.namespace === 'string' && coerced.namespace !== '';
    return { errors: validateMetadata(path, named, { namespaced, nameErrors: subdomainErrors }), unknownFields };
  } catch (error) {
    if (!(error instanceof MetadataTypeError)) throw error;
    const detail = error.message;
    return { errors: [{ type: 'FieldValueInvalid', field: fieldPath(path), detail }], unknownFields };
  }
}
