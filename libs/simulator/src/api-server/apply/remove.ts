import { isObject, setField } from '../object.ts';
import type { JsonObject } from '../request.ts';
import { entryType, formOf, untypedDeduced } from '../schema/type-node.ts';
import type { ListForm, MapForm, TypeNode } from '../schema/type-node.ts';
import { below, hasMember, isEmptySet } from './fields.ts';
import type { Fields } from './fields.ts';
import { fieldElement, itemElement } from './path-element.ts';

/** The value without the fields of a set. A list or map that loses everything becomes null, as in structured-merge-diff. */
export function removeFields(type: TypeNode, value: unknown, fields: Fields): unknown {
  if (isEmptySet(fields)) return value;
  const form = formOf(type, value);
  if (form === 'map' && type.map) return fromMap(type.map, value, fields);
  if (form === 'list' && type.list) return fromList(type.list, value, fields);
  return value;
}

function fromMap(map: MapForm, value: unknown, fields: Fields): unknown {
  if (!isObject(value) || map.atomic) return null;
  const result: JsonObject = {};
  let count = 0;
  for (const key in value) {
    const element = fieldElement(key);
    if (hasMember(fields, element)) continue;
    setField(result, key, removeFields(entryType(map, key) ?? untypedDeduced, value[key], below(fields, element)));
    count += 1;
  }
  return count > 0 ? result : null;
}

function fromList(list: ListForm, value: unknown, fields: Fields): unknown {
  if (!Array.isArray(value) || list.relationship === 'atomic') return null;
  const result: unknown[] = [];
  for (const item of value) {
    const element = itemElement(list, item);
    if (!hasMember(fields, element)) result.push(removeFields(list.element, item, below(fields, element)));
  }
  return result.length > 0 ? result : null;
}
