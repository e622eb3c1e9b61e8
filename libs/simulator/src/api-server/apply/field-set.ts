import { isObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import { entryType, formOf, untypedDeduced } from '../schema/type-node.ts';
import type { ListForm, MapForm, TypeNode } from '../schema/type-node.ts';
import { FieldsBuilder } from './fields.ts';
import type { Fields } from './fields.ts';
import { fieldElement, itemElement } from './path-element.ts';

/** All fields that a value has: what a manager owns who applies it. */
export function fieldSetOf(type: TypeNode, value: unknown): Fields {
  const walk = new FieldSetWalk();
  walk.visit(type, value);
  return walk.set.build();
}

class FieldSetWalk {
  readonly set = new FieldsBuilder();
  readonly #path: string[] = [];

  visit(type: TypeNode, value: unknown): void {
    const form = formOf(type, value);
    if (form === 'scalar') this.set.add(this.#path);
    else if (form === 'list' && type.list) this.#list(type.list, value);
    else if (form === 'map' && type.map) this.#map(type.map, value);
  }

  #list(list: ListForm, value: unknown): void {
    if (list.relationship === 'atomic') this.set.add(this.#path);
    else if (Array.isArray(value)) {
      const counts = new Map<string, number>();
      const elements = value.map((item) => itemElement(list, item));
      for (const element of elements) counts.set(element, (counts.get(element) ?? 0) + 1);
      for (const [index, item] of value.entries()) {
        const element = elements[index] ?? '';
        this.#path.push(element);
        if (counts.get(element) === 1) this.visit(list.element, item);
        this.set.add(this.#path);
        this.#path.pop();
      }
    }
  }

  #map(map: MapForm, value: unknown): void {
    if (map.atomic) this.set.add(this.#path);
    else if (isObject(value)) for (const key in value) this.#entry(map, key, value[key]);
  }

  #entry(map: MapForm, key: string, value: unknown): void {
    this.#path.push(fieldElement(key));
    this.visit(entryType(map, key) ?? untypedDeduced, value);
    const empty = value === null || (isObject(value) && isEmptyObject(value));
    if (empty || !map.fields.has(key)) this.set.add(this.#path);
    this.#path.pop();
  }
}

function isEmptyObject(value: JsonObject): boolean {
  for (const _ in value) return false;
  return true;
}
