import type { FieldError } from '../field-error.ts';
import { isJsonObject } from '../json.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { fieldPath } from './field-path.ts';
import type { FieldPath } from './field-path.ts';
import { printJson } from './go-text.ts';
import type { Node } from './node.ts';

/** Duplicates in lists of type set and map (`ValidateListSetsAndMaps` of apiextensions-apiserver). */
export function validateListTypes(path: FieldPath | undefined, node: Node, value: JsonValue | undefined): FieldError[] {
  if (typeof value !== 'object' || value === null || !node.contents.listKeys) return [];
  if (Array.isArray(value)) return [...listErrors(path, node, value), ...itemErrors(path, node, value)];
  return Object.keys(value).flatMap((key) => {
    const property = node.properties.get(key);
    if (property !== undefined) return validateListTypes({ parent: path, child: key }, property, value[key]);
    const member = node.additionalProperties;
    return member === undefined ? [] : validateListTypes({ parent: path, key }, member, value[key]);
  });
}

function itemErrors(path: FieldPath | undefined, node: Node, list: readonly JsonValue[]): FieldError[] {
  const { items } = node;
  return items === undefined
    ? []
    : list.flatMap((item, index) => validateListTypes({ parent: path, index }, items, item));
}

function listErrors(path: FieldPath | undefined, node: Node, list: readonly JsonValue[]): FieldError[] {
  if (node.listType === 'set') return duplicates(path, list, list);
  if (node.listType !== 'map') return [];
  const odd = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (odd >= 0) {
    const detail = 'must be an object for an array of list-type map';
    return [
      { type: 'FieldValueInvalid', field: fieldPath({ parent: path, index: odd }), value: list[odd] ?? null, detail },
    ];
  }
  const keys = list.map((item) => keysOf(isJsonObject(item) ? item : {}, node.listMapKeys));
  return duplicates(path, keys, keys);
}

function keysOf(item: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(item, name)).map((name) => [name, item[name]]));
}

/** The second of each group of equals is reported, and only that. */
function duplicates(
  path: FieldPath | undefined,
  identities: readonly JsonValue[],
  shown: readonly JsonValue[],
): FieldError[] {
  const seen = new Map<string, number>();
  return identities.flatMap((identity, index): FieldError[] => {
    const text = printJson(identity);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    if (times !== 2) return [];
    return [
      {
        type: 'FieldValueDuplicate',
        field: fieldPath({ parent: path, index }),
        value: shown[index] ?? null,
        detail: '',
      },
    ];
  });
}
