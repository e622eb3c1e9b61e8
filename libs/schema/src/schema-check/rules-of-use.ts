import type { FieldError } from '../field-error.ts';
import type { FieldPath } from '../internal/field-path.ts';
import { described, rulePath } from '../internal/rule-path.ts';
import type { JsonSchemaProps, ValidationRule } from '../schema-props.ts';
import { child, entry, forbidden, invalid, notSupported, property, required } from './path-errors.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const;
const metaFields = new Set(['apiVersion', 'kind', 'metadata']);
const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** Where in a schema the walk is. */
interface Where {
  readonly isRoot: boolean;
  readonly insideMeta: boolean;
  /** Why no default may stand here; undefined where it may. */
  readonly noDefaults?: string;
}

/** What Kubernetes does not let a schema say (`ValidateCustomResourceDefinitionOpenAPISchema`). */
export function useErrors(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  collect(schema, path, { isRoot: true, insideMeta: false }, errors);
  return errors;
}

/** Whether the API server can make a structural schema of it (`NewStructural`): not of what it does not support, nor of fields that are said not to be kept. */
export function isConvertible(schema: JsonSchemaProps): boolean {
  const { additionalProperties, properties = {}, items, not, allOf = [], oneOf = [], anyOf = [] } = schema;
  if (unsupported.some((name) => name in schema) || schema['x-kubernetes-preserve-unknown-fields'] === false)
    return false;
  const values = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  const single = [items, not].filter((each) => each !== undefined);
  return [...Object.values(properties), ...values, ...single, ...allOf, ...oneOf, ...anyOf].every(isConvertible);
}

/** Adds the errors of a schema and of all below it: a list for each of thousands of nodes would cost more than looking at them. */
function collect(schema: JsonSchemaProps, path: FieldPath, where: Where, errors: FieldError[]): void {
  errors.push(...standardErrors(schema, path, where));
  collectBelow(schema, path, where, errors);
  if (schema['x-kubernetes-map-type'] !== undefined) errors.push(...mapTypeErrors(schema, path));
  if (schema['x-kubernetes-list-type'] !== undefined || schema['x-kubernetes-list-map-keys'] !== undefined)
    errors.push(...listTypeErrors(schema, path), ...mapKeyErrors(schema, path));
  for (const [i, rule] of (schema['x-kubernetes-validations'] ?? []).entries())
    errors.push(...ruleErrors(rule, schema, entry(path, 'x-kubernetes-validations', i)));
}

function standardErrors(schema: JsonSchemaProps, path: FieldPath, where: Where): FieldError[] {
  const { type } = schema;
  const errors: FieldError[] = [];
  if (type && !types.includes(type)) errors.push(notSupported(child(path, 'type'), type, types));
  if (type === 'null')
    errors.push(forbidden(child(path, 'type'), 'type cannot be set to null, use nullable as an alternative'));
  if (schema.default !== undefined && schema.default !== null && where.noDefaults !== undefined) {
    errors.push(forbidden(child(path, 'default'), `must not be set ${where.noDefaults}`));
  }
  for (const name of unsupported)
    if (name in schema) errors.push(forbidden(child(path, name), `${name} is not supported`));
  if (where.insideMeta && schema['x-kubernetes-embedded-resource'] === true) {
    errors.push(forbidden(child(path, 'x-kubernetes-embedded-resource'), 'must not be used inside of resource meta'));
  }
  if (schema.uniqueItems === true) {
    errors.push(
      forbidden(
        child(path, 'uniqueItems'),
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    );
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalid(child(path, 'x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'));
  }
  if (where.isRoot && schema.nullable === true)
    errors.push(forbidden(child(path, 'nullable'), 'nullable cannot be true at the root'));
  return errors;
}

function collectBelow(schema: JsonSchemaProps, path: FieldPath, where: Where, errors: FieldError[]): void {
  const { additionalProperties, properties = {}, items, not } = schema;
  const inner: Where = where.isRoot ? { ...where, isRoot: false } : where;
  if (additionalProperties !== undefined && additionalProperties !== true && Object.keys(properties).length > 0) {
    errors.push(
      forbidden(child(path, 'additionalProperties'), 'additionalProperties and properties are mutual exclusive'),
    );
  }
  if (typeof additionalProperties === 'object') {
    const below = where.insideMeta
      ? { ...inner, noDefaults: 'inside additionalProperties applying to object metadata' }
      : inner;
    collect(additionalProperties, child(path, 'additionalProperties'), below, errors);
  }
  const hasMeta = where.isRoot || schema['x-kubernetes-embedded-resource'] === true;
  for (const [name, each] of Object.entries(properties)) {
    const below: Where =
      hasMeta && metaFields.has(name)
        ? { ...inner, insideMeta: true, ...(where.isRoot ? { noDefaults: `in top-level ${name}` } : {}) }
        : inner;
    collect(each, property(path, name), below, errors);
  }
  if (not !== undefined) collect(not, child(path, 'not'), inner, errors);
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [i, branch] of (schema[name] ?? []).entries()) collect(branch, entry(path, name, i), inner, errors);
  }
  if (items !== undefined) collect(items, child(path, 'items'), inner, errors);
}

function mustBe(schema: JsonSchemaProps, path: FieldPath, type: string, extension: string): FieldError[] {
  if (schema.type === type) return [];
  const words = `must be ${type} if ${extension} is specified`;
  return [schema.type ? invalid(child(path, 'type'), schema.type, words) : required(child(path, 'type'), words)];
}

function mapTypeErrors(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return [];
  const errors = mustBe(schema, path, 'object', 'x-kubernetes-map-type');
  if (mapType !== 'atomic' && mapType !== 'granular')
    errors.push(notSupported(child(path, 'x-kubernetes-map-type'), mapType, ['atomic', 'granular']));
  return errors;
}

function listTypeErrors(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  const at = child(path, 'x-kubernetes-list-type');
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const errors: FieldError[] = [];
  if (keys.length > 0 && listType !== 'map') {
    const words = 'must be map if x-kubernetes-list-map-keys is non-empty';
    errors.push(listType === undefined ? required(at, words) : invalid(at, listType, words));
  }
  if (listType === undefined) return errors;
  errors.push(...mustBe(schema, path, 'array', 'x-kubernetes-list-type'));
  if (!['atomic', 'set', 'map'].includes(listType)) errors.push(notSupported(at, listType, ['atomic', 'set', 'map']));
  const { items } = schema;
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return errors;
  if (items.nullable === true)
    errors.push(
      forbidden(child(path, 'items', 'nullable'), `cannot be nullable when x-kubernetes-list-type is ${listType}`),
    );
  if (listType === 'set' && schema.type === 'array') errors.push(...setItemErrors(items, child(path, 'items')));
  return errors;
}

function setItemErrors(items: JsonSchemaProps, path: FieldPath): FieldError[] {
  const words = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items['x-kubernetes-list-type'];
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic')
    return [invalid(child(path, 'x-kubernetes-list-type'), listType, words)];
  // The API server prints the list type here, which an object has not.
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
    return [invalid(child(path, 'x-kubernetes-map-type'), listType ?? null, words)];
  return [];
}

function mapKeyErrors(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  if (schema['x-kubernetes-list-type'] !== 'map') return [];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const at = child(path, 'x-kubernetes-list-map-keys');
  const { items } = schema;
  const errors: FieldError[] = [];
  if (keys.length === 0) errors.push(required(at, 'must not be empty if x-kubernetes-list-type is map'));
  if (items === undefined)
    return [...errors, required(child(path, 'items'), 'must have a schema if x-kubernetes-list-type is map')];
  if (items.type !== 'object') {
    errors.push(
      invalid(
        child(path, 'items', 'type'),
        items.type ?? '',
        "must be object if parent array's x-kubernetes-list-type is map",
      ),
    );
  }
  for (const [i, key] of keys.entries()) {
    if (items.type === 'object' && keys.indexOf(key) !== i)
      errors.push(invalid(at, keys, 'must not contain duplicate entries'));
    errors.push(...mapKeyPropertyErrors(items, key, { items: child(path, 'items'), at, keys: [...keys] }));
  }
  return errors;
}

interface MapKeys {
  readonly items: FieldPath;
  readonly at: FieldPath;
  readonly keys: string[];
}

function mapKeyPropertyErrors(items: JsonSchemaProps, key: string, { items: path, at, keys }: MapKeys): FieldError[] {
  const named = items.properties?.[key];
  if (named === undefined)
    return items.type === 'object' ? [invalid(at, keys, 'entries must all be names of item properties')] : [];
  const own = property(path, key);
  const errors: FieldError[] = [];
  if (items.type === 'object' && (named.type === 'array' || named.type === 'object')) {
    errors.push(
      invalid(child(own, 'type'), items.type, "must be a scalar type if parent array's x-kubernetes-list-type is map"),
    );
  }
  if (items.required?.includes(key) !== true && (named.default ?? null) === null) {
    errors.push(
      required(
        child(own, 'default'),
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      ),
    );
  }
  if (named.nullable === true)
    errors.push(
      forbidden(child(own, 'nullable'), 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'),
    );
  return errors;
}

function ruleErrors(rule: ValidationRule, schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const text = rule.rule.trim();
  const message = (rule.message ?? '').trim();
  if (text === '') errors.push(required(child(path, 'rule'), 'rule is not specified'));
  else if (rule.message && message === '')
    errors.push(invalid(child(path, 'message'), rule.message, 'must be non-empty if specified'));
  else if (message.includes('\n'))
    errors.push(invalid(child(path, 'message'), rule.message ?? '', 'must not contain line breaks'));
  else if (text.includes('\n') && message === '')
    errors.push(required(child(path, 'message'), 'message must be specified if rule contains line breaks'));
  if (rule.messageExpression && rule.messageExpression.trim() === '') {
    errors.push(required(child(path, 'messageExpression'), 'messageExpression must be non-empty if specified'));
  }
  if (rule.reason !== undefined && !reasons.includes(rule.reason))
    errors.push(notSupported(child(path, 'reason'), rule.reason, reasons));
  if (rule.fieldPath && rulePath(rule.fieldPath, described(schema)) === undefined) {
    errors.push(invalid(child(path, 'fieldPath'), rule.fieldPath, 'must be a valid path'));
  }
  return errors;
}
