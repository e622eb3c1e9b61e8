import { equalJson, isJsonObject } from '../../json.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { Correlation } from '../correlation.ts';
import { isInt64, printJson, quote, runeCount } from '../go-text.ts';
import type { Node } from '../node.ts';
import { validateJunctors } from './junctors.ts';
import { isNearInteger, validateNumber } from './number.ts';
import { finding, Result } from './result.ts';

/** One walk over an object: where it is, and where errors go. */
export class Walk {
  readonly path: (string | number)[] = [];
  result = new Result();

  /** The path as kube-openapi writes it: `spec.ports[0].name`, map keys like fields; at the root empty. */
  get name(): string {
    let name = '';
    for (const [i, step] of this.path.entries()) {
      name += typeof step === 'number' ? `[${String(step)}]` : i === 0 ? step : `.${step}`;
    }
    return name;
  }
}

/**
 * Validates as kube-openapi's `SchemaValidator` does: all errors, each counted check that holds raises the match count.
 * Where a correlation says that the value did not change, its errors are dropped (ratcheting).
 */
export function validateNode(walk: Walk, node: Node, value: JsonValue, correlation?: Correlation): void {
  if (correlation === undefined) {
    checkNode(walk, node, value, undefined);
    return;
  }
  const outer = walk.result;
  const inner = (walk.result = new Result());
  checkNode(walk, node, value, correlation);
  walk.result = outer;
  if (inner.valid || !correlation.unchanged) outer.merge(inner);
  else outer.matchCount += inner.matchCount;
}

/** The checks of a node itself: a branch of a junctor is not ratcheted, its members are. */
export function checkNode(walk: Walk, node: Node, value: JsonValue, correlation: Correlation | undefined): void {
  const { result } = walk;
  if (value === null) {
    checkNull(walk, node);
    return;
  }
  if (node.types.length > 0 || node.format !== '') {
    result.matchCount++;
    checkType(walk, node, value);
  }
  if (hasJunctors(node)) validateJunctors(walk, node, value, correlation);
  // One for the group of junctors, one for the check of it, one for the enum, one for the whole.
  result.matchCount += 4;
  if (typeof value === 'string') {
    result.matchCount++;
    checkString(walk, node, value);
  } else if (typeof value === 'number') {
    result.matchCount += 2;
    const { numbers } = node;
    if (
      numbers.type !== '' ||
      numbers.maximum !== undefined ||
      numbers.minimum !== undefined ||
      numbers.multipleOf !== undefined
    )
      validateNumber(numbers, value, walk.name, result);
  } else if (Array.isArray(value)) {
    result.matchCount += 2;
    checkList(walk, node, value, correlation);
  }
  if (node.enum.length > 0) checkEnum(walk, node, value);
  if (isJsonObject(value)) {
    result.matchCount++;
    checkObject(walk, node, value, correlation);
  }
}

function hasJunctors(node: Node): boolean {
  return node.allOf.length > 0 || node.anyOf.length > 0 || node.oneOf.length > 0 || node.not !== undefined;
}

function checkNull(walk: Walk, node: Node): void {
  if (node.types.length > 0 && !node.nullable) typeError(walk, node.types.join(','), 'null');
  else walk.result.matchCount++;
  if (node.enum.length > 0) checkEnum(walk, node, null);
}

function typeError(walk: Walk, expected: string, actual: string): void {
  const { name } = walk;
  const text = `${name} in body must be of type ${expected}: "${actual}"`;
  walk.result.add(finding(name, 'FieldValueTypeInvalid', text, actual));
}

/** Type and format of a JSON value as kube-openapi infers them from Go's. */
function typeOf(value: JsonValue): readonly [string, string] {
  switch (typeof value) {
    case 'string':
      return ['string', ''];
    case 'boolean':
      return ['boolean', ''];
    case 'number':
      return isInt64(value) ? ['integer', 'int64'] : ['number', 'float64'];
    default:
      return [Array.isArray(value) ? 'array' : 'object', ''];
  }
}

function checkType(walk: Walk, node: Node, value: JsonValue): void {
  const { types, format } = node;
  const [type, valueFormat] = typeOf(value);
  const wholeFloat = type === 'number' && types.includes('integer') && isNearInteger(value as number);
  const fits = types.includes(type) || wholeFloat || (type === 'integer' && types.includes('number'));
  if (format !== '') {
    const textual = type === 'string' || type === 'array';
    if (!textual && !fits && valueFormat !== format) {
      typeError(walk, format, valueFormat);
      return;
    }
    // A string or list under a textual format is left to the check of the format.
    if (textual && !types.includes('number') && !types.includes('integer')) {
      walk.result.matchCount++;
      return;
    }
  }
  if (fits) walk.result.matchCount++;
  else typeError(walk, types.join(','), type);
}

function checkString(walk: Walk, node: Node, value: string): void {
  const { result } = walk;
  const { maxLength, minLength, pattern } = node;
  const fail = (type: 'FieldValueInvalid' | 'FieldValueTooLong', words: string): void =>
    result.add(finding(walk.name, type, `${walk.name} in body ${words}`, value));
  if (maxLength !== undefined && value.length > maxLength && runeCount(value) > maxLength) {
    const { text, error } = finding(
      walk.name,
      'FieldValueTooLong',
      `${walk.name} in body should be at most ${String(maxLength)} chars long`,
      undefined,
    );
    const unit = maxLength === 1 ? 'byte' : 'bytes';
    result.add({ text, error: { ...error, detail: `may not be more than ${String(maxLength)} ${unit}` } });
  } else if (minLength !== undefined && runeCount(value) < minLength) {
    fail('FieldValueInvalid', `should be at least ${String(minLength)} chars long`);
  } else if (pattern !== undefined && !pattern.test(value)) {
    fail('FieldValueInvalid', `should match '${pattern.source}'`);
  }
  if (node.formatCheck === undefined) return;
  result.matchCount++;
  if (!node.formatCheck(value)) {
    const text = `${walk.name} in body must be of type ${node.format}: ${quote(value)}`;
    result.add(finding(walk.name, 'FieldValueTypeInvalid', text, value));
  }
}

function checkEnum(walk: Walk, node: Node, value: JsonValue): void {
  if (value !== null && node.enum.some((allowed) => equalEnum(value, allowed))) return;
  const { name } = walk;
  const { text, error } = finding(
    name,
    'FieldValueNotSupported',
    `${name} in body should be one of ${printJson(node.enum)}`,
    value,
  );
  const choices = node.enum.map((allowed) => quote(typeof allowed === 'string' ? allowed : printJson(allowed)));
  walk.result.add({ text, error: { ...error, detail: `supported values: ${choices.join(', ')}` } });
}

/** Equal after Go's conversion of the value to the type of the enum's member. */
function equalEnum(value: JsonValue, allowed: JsonValue): boolean {
  if (typeof value === 'number' && typeof allowed === 'number' && isInt64(allowed))
    return Math.trunc(value) === allowed;
  return allowed !== null && equalJson(value, allowed);
}

function checkList(walk: Walk, node: Node, list: readonly JsonValue[], correlation: Correlation | undefined): void {
  const { items, minItems, maxItems, uniqueItems } = node;
  const { result, path } = walk;
  if (items !== undefined) {
    for (const [i, item] of list.entries()) {
      path.push(i);
      validateNode(walk, items, item, correlation?.index(i));
      path.pop();
    }
  }
  const size = list.length;
  if (minItems !== undefined && size < minItems) {
    result.add(
      finding(
        walk.name,
        'FieldValueInvalid',
        `${walk.name} in body should have at least ${String(minItems)} items`,
        size,
      ),
    );
  }
  if (maxItems !== undefined && size > maxItems) tooMany(walk, size, maxItems, 'items');
  if (uniqueItems && list.some((item, i) => list.slice(0, i).some((earlier) => equalJson(item, earlier)))) {
    result.add(finding(walk.name, 'FieldValueInvalid', `${walk.name} in body shouldn't contain duplicates`, ''));
  }
}

function tooMany(walk: Walk, actual: number, max: number, what: 'items' | 'properties'): void {
  const { text, error } = finding(
    walk.name,
    'FieldValueTooMany',
    `${walk.name} in body should have at most ${String(max)} ${what}`,
    actual,
  );
  walk.result.add({
    text,
    error: { ...error, detail: `must have at most ${String(max)} ${max === 1 ? 'item' : 'items'}` },
  });
}

function checkObject(walk: Walk, node: Node, object: JsonObject, correlation: Correlation | undefined): void {
  const { properties, additionalProperties, required, minProperties, maxProperties } = node;
  const { path } = walk;
  if (minProperties !== undefined || maxProperties !== undefined) checkSize(walk, node, object);
  for (const key of Object.keys(object)) {
    const value = object[key];
    const member = properties.get(key) ?? additionalProperties;
    if (value === undefined || member === undefined) continue;
    const typeMeta = path.length === 0 && (key === 'apiVersion' || key === 'kind');
    path.push(key);
    validateNode(walk, member, value, typeMeta ? undefined : correlation?.key(key));
    path.pop();
  }
  for (const key of required) {
    if (Object.hasOwn(object, key) && object[key] !== undefined) continue;
    const name = `${walk.name}.${key}`;
    const { text, error } = finding(name, 'FieldValueRequired', `${name} in body is required`, undefined);
    walk.result.add({ text, error: { ...error, detail: '' } });
  }
}

function checkSize(walk: Walk, node: Node, object: JsonObject): void {
  const { minProperties, maxProperties } = node;
  const size = Object.keys(object).filter((key) => object[key] !== undefined).length;
  if (minProperties !== undefined && size < minProperties) {
    const text = `${walk.name} in body should have at least ${String(minProperties)} properties`;
    walk.result.add(finding(walk.name, 'FieldValueInvalid', text, size));
  }
  if (maxProperties !== undefined && size > maxProperties) tooMany(walk, size, maxProperties, 'properties');
}
