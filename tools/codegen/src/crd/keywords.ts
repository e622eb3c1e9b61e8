import type { JsonSchemaProps } from '@ordinal/schema';
import type { DocumentPath } from './locate.ts';

/** What a keyword's value has to be. */
interface Form {
  readonly words: string;
  readonly fits: (value: unknown) => boolean;
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): boolean => typeof value === 'string';
const listOf =
  (fits: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(fits);

const text: Form = { words: 'text', fits: isText };
const truth: Form = { words: 'true or false', fits: (value) => typeof value === 'boolean' };
const number: Form = { words: 'a number', fits: (value) => typeof value === 'number' };
const count: Form = { words: 'a whole number', fits: Number.isInteger };
const texts: Form = { words: 'a list of text', fits: listOf(isText) };
const list: Form = { words: 'a list', fits: Array.isArray };
const objects: Form = { words: 'a list of objects', fits: listOf(isObject) };
const object: Form = { words: 'an object', fits: isObject };

type Forms = Readonly<Record<string, Form>>;

const keywords: Forms = {
  type: text,
  format: text,
  title: text,
  description: text,
  nullable: truth,
  enum: list,
  maximum: number,
  exclusiveMaximum: truth,
  minimum: number,
  exclusiveMinimum: truth,
  multipleOf: number,
  maxLength: count,
  minLength: count,
  pattern: text,
  maxItems: count,
  minItems: count,
  uniqueItems: truth,
  maxProperties: count,
  minProperties: count,
  required: texts,
  'x-kubernetes-preserve-unknown-fields': truth,
  'x-kubernetes-embedded-resource': truth,
  'x-kubernetes-int-or-string': truth,
  'x-kubernetes-list-type': text,
  'x-kubernetes-list-map-keys': texts,
  'x-kubernetes-map-type': text,
  'x-kubernetes-validations': objects,
};

const rule: Forms = {
  rule: text,
  message: text,
  messageExpression: text,
  reason: text,
  fieldPath: text,
  optionalOldSelf: truth,
};

/** A keyword whose value is of another type than the API server decodes, or undefined. */
export function findWrongKeyword(schema: JsonSchemaProps): FormFault | undefined {
  const fault = findWrongForm(schema, keywords);
  if (fault !== undefined) return fault;
  return within(schema['x-kubernetes-validations'], 'x-kubernetes-validations', (each) =>
    each.rule === undefined
      ? { path: [], message: 'rule is missing; say what has to hold' }
      : findWrongForm(each, rule),
  );
}

/** What is wrong, from where the search began. */
export interface FormFault {
  readonly path: DocumentPath;
  readonly message: string;
}

const version: Forms = {
  served: truth,
  storage: truth,
  deprecated: truth,
  deprecationWarning: text,
  subresources: object,
  additionalPrinterColumns: objects,
  selectableFields: objects,
};
const column: Forms = {
  name: text,
  type: text,
  jsonPath: text,
  format: text,
  description: text,
  priority: count,
};
const scale: Forms = { specReplicasPath: text, statusReplicasPath: text, labelSelectorPath: text };

/** What is wrong in an entry of `spec.versions` beside its schema, or undefined. */
export function findWrongVersion(given: object): FormFault | undefined {
  const fault = findWrongForm(given, version);
  if (fault !== undefined) return fault;
  // The forms of the members were judged above.
  const entry = given as Lists;
  return (
    within(
      entry.additionalPrinterColumns,
      'additionalPrinterColumns',
      (each) => findMissing(each, ['name', 'type', 'jsonPath']) ?? findWrongForm(each, column),
    ) ??
    within(
      entry.selectableFields,
      'selectableFields',
      (each) => findMissing(each, ['jsonPath']) ?? findWrongForm(each, { jsonPath: text }),
    ) ??
    findWrongSubresource(entry.subresources)
  );
}

interface Lists {
  readonly additionalPrinterColumns?: readonly object[];
  readonly selectableFields?: readonly object[];
  readonly subresources?: { readonly scale?: object };
}

function findWrongSubresource(given: Lists['subresources'] = {}): FormFault | undefined {
  const fault = findWrongForm(given, { status: object, scale: object });
  if (fault !== undefined) return below('subresources', fault);
  const found =
    given.scale === undefined
      ? undefined
      : (findMissing(given.scale, ['specReplicasPath', 'statusReplicasPath']) ?? findWrongForm(given.scale, scale));
  return found === undefined ? undefined : below('subresources', below('scale', found));
}

/** What is wrong in `spec.names` beside the names that every CRD has, or undefined. */
export const findWrongNames = (names: object): FormFault | undefined =>
  findWrongForm(names, { singular: text, listKind: text, shortNames: texts, categories: texts });

function findMissing(given: object, keys: readonly string[]): FormFault | undefined {
  const key = keys.find((each) => !Object.hasOwn(given, each));
  return key === undefined ? undefined : { path: [], message: `${key} is missing; give it` };
}

function findWrongForm(given: object, forms: Forms): FormFault | undefined {
  for (const [key, value] of Object.entries(given)) {
    const form = Object.hasOwn(forms, key) ? forms[key] : undefined;
    if (form !== undefined && !form.fits(value))
      return { path: [key], message: `${key} has to be ${form.words}; correct it` };
  }
  return undefined;
}

function within<T>(
  entries: readonly T[] | undefined,
  key: string,
  find: (entry: T) => FormFault | undefined,
): FormFault | undefined {
  for (const [index, entry] of (entries ?? []).entries()) {
    const fault = find(entry);
    if (fault !== undefined) return { ...fault, path: [key, index, ...fault.path] };
  }
  return undefined;
}

const below = (key: string, fault: FormFault): FormFault => ({ ...fault, path: [key, ...fault.path] });
