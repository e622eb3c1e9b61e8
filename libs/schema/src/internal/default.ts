import { copyJson } from '../json.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Node } from './node.ts';

/** Fills in place what is absent, or null where null is not allowed, from the schema's defaults. */
export function applyDefaults(value: JsonValue | undefined, node: Node): void {
  if (typeof value !== 'object' || value === null || !node.contents.defaults) return;
  if (Array.isArray(value)) fillList(value, node);
  else fillObject(value, node);
}

function fillList(list: JsonValue[], { items }: Node): void {
  if (items === undefined) return;
  for (const [i, item] of list.entries()) {
    if (item === null && !items.nullable && items.default !== undefined) list[i] = copyJson(items.default);
    applyDefaults(list[i], items);
  }
}

function fillObject(object: JsonObject, node: Node): void {
  for (const [name, property] of node.defaults) {
    const present = Object.hasOwn(object, name) && object[name] !== undefined;
    if (property.default === undefined || (present && (object[name] !== null || property.nullable))) continue;
    object[name] = copyJson(property.default);
  }
  for (const key of Object.keys(object)) {
    const member = node.properties.get(key) ?? node.additionalProperties;
    if (member === undefined) continue;
    // A null that a property's default did not replace above stands in a map.
    if (object[key] === null && !member.nullable && member.default !== undefined)
      object[key] = copyJson(member.default);
    applyDefaults(object[key], member);
  }
}
