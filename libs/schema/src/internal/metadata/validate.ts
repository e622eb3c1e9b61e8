import type { FieldError } from '../../field-error.ts';
import { isJsonObject } from '../../json.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import { fieldPath } from '../field-path.ts';
import type { FieldPath } from '../field-path.ts';
import { byteLength } from '../go-text.ts';
import { labelErrors, labelValueErrors, qualifiedNameErrors } from './names.ts';

const annotationBytes = 256 * 1024;

/** What the rules for metadata depend on. */
export interface MetadataRules {
  readonly namespaced: boolean;
  /** The words against a name; empty when it is fine. */
  readonly nameErrors: (name: string) => string[];
}

/** Validates ObjectMeta on creation, after names are generated (`ValidateObjectMetaAccessor` of k8s.io/apimachinery). */
export function validateMetadata(path: FieldPath, metadata: JsonObject, rules: MetadataRules): FieldError[] {
  const at = (child: string): string => fieldPath({ parent: path, child });
  const invalid = (field: string, value: JsonValue, details: readonly string[]): FieldError[] =>
    details.map((detail) => ({ type: 'FieldValueInvalid', field, value, detail }));
  const errors: FieldError[] = [];
  const generateName = text(metadata.generateName);
  if (generateName !== '')
    errors.push(...invalid(at('generateName'), generateName, rules.nameErrors(maskTrailingDash(generateName))));
  const name = text(metadata.name);
  if (name === '')
    errors.push({ type: 'FieldValueRequired', field: at('name'), detail: 'name or generateName is required' });
  else errors.push(...invalid(at('name'), name, rules.nameErrors(name)));
  errors.push(...namespaceErrors(at('namespace'), text(metadata.namespace), rules.namespaced));
  const generation = metadata.generation;
  if (typeof generation === 'number' && generation < 0)
    errors.push(...invalid(at('generation'), generation, ['must be greater than or equal to 0']));
  for (const [key, value] of Object.entries(members(metadata.labels))) {
    errors.push(
      ...invalid(at('labels'), key, qualifiedNameErrors(key)),
      ...invalid(at('labels'), text(value), labelValueErrors(text(value))),
    );
  }
  errors.push(...annotationErrors(at('annotations'), members(metadata.annotations)));
  errors.push(...ownerErrors({ parent: path, child: 'ownerReferences' }, metadata.ownerReferences));
  return [...errors, ...finalizerErrors(at('finalizers'), metadata.finalizers)];
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function members(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** A generated name replaces a trailing dash and the character before it, so those are not judged. */
function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? name.slice(0, -2) + 'a' : name;
}

function namespaceErrors(field: string, namespace: string, namespaced: boolean): FieldError[] {
  if (!namespaced)
    return namespace === '' ? [] : [{ type: 'FieldValueForbidden', field, detail: 'not allowed on this type' }];
  if (namespace === '') return [{ type: 'FieldValueRequired', field, detail: '' }];
  return labelErrors(namespace).map((detail) => ({ type: 'FieldValueInvalid', field, value: namespace, detail }));
}

function annotationErrors(field: string, annotations: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    size += byteLength(key) + byteLength(text(value));
    for (const detail of qualifiedNameErrors(key.toLowerCase()))
      errors.push({ type: 'FieldValueInvalid', field, value: key, detail });
  }
  if (size > annotationBytes) {
    errors.push({ type: 'FieldValueTooLong', field, detail: `may not be more than ${String(annotationBytes)} bytes` });
  }
  return errors;
}

function ownerErrors(path: FieldPath, owners: JsonValue | undefined): FieldError[] {
  if (!Array.isArray(owners)) return [];
  const errors: FieldError[] = [];
  let controller = '';
  for (const owner of owners.filter(isJsonObject)) {
    const check = (child: string, value: string, bad: boolean, detail = 'must not be empty'): void => {
      if (bad) errors.push({ type: 'FieldValueInvalid', field: fieldPath({ parent: path, child }), value, detail });
    };
    const apiVersion = text(owner.apiVersion);
    check('apiVersion', apiVersion, apiVersion === '' || apiVersion.endsWith('/'), 'version must not be empty');
    check('kind', text(owner.kind), text(owner.kind) === '');
    check('name', text(owner.name), text(owner.name) === '');
    check('uid', text(owner.uid), text(owner.uid) === '');
    if (apiVersion === 'v1' && owner.kind === 'Event') {
      const detail = '/v1, Kind=Event is disallowed from being an owner';
      errors.push({ type: 'FieldValueInvalid', field: fieldPath(path), value: owner, detail });
    }
    if (owner.controller !== true) continue;
    const name = `${text(owner.kind)}/${text(owner.name)}`;
    if (controller !== '') {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      errors.push({ type: 'FieldValueInvalid', field: fieldPath(path), value: owners, detail });
    } else controller = name;
  }
  return errors;
}

function finalizerErrors(field: string, finalizers: JsonValue | undefined): FieldError[] {
  if (!Array.isArray(finalizers)) return [];
  const errors: FieldError[] = finalizers.flatMap((finalizer) =>
    qualifiedNameErrors(text(finalizer)).map((detail) => ({
      type: 'FieldValueInvalid',
      field,
      value: finalizer,
      detail,
    })),
  );
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const detail = 'finalizer orphan and foregroundDeletion cannot be both set';
    errors.push({ type: 'FieldValueInvalid', field, value: finalizers, detail });
  }
  return errors;
}
