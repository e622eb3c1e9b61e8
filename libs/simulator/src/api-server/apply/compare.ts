import { sameJson } from '@ordinal/client';
import { isObject, ownField } from '../object.ts';
import { entryType, formOf, untypedDeduced } from '../schema/type-node.ts';
import type { ListForm, MapForm, TypeNode } from '../schema/type-node.ts';
import { FieldsBuilder } from './fields.ts';
import type { Fields } from './fields.ts';
import { fieldElement, itemElement } from './path-element.ts';

/** How one object differs from another: no field is in more than one of the sets. */
export interface Comparison {
  readonly added: Fields;
  readonly modified: Fields;
  readonly removed: Fields;
}

/** Compares two objects of a type field by field, as structured-merge-diff does. */
export function compare(type: TypeNode, before: unknown, after: unknown): Comparison {
  const walk = new ComparisonWalk();
  walk.visit(type, before, after);
  return { added: walk.added.build(), modified: walk.modified.build(), removed: walk.removed.build() };
}

const isEmptyList = (value: unknown): boolean => !Array.isArray(value) || value.length === 0;

const isEmptyMap = (value: unknown): boolean => {
  if (isObject(value)) for (const key in value) if (value[key] !== undefined) return false;
  return true;
};

/** `undefined` stands for an absent value, `null` for one that is there. */
class ComparisonWalk {
  readonly added = new FieldsBuilder();
  readonly modified = new FieldsBuilder();
  readonly removed = new FieldsBuilder();
  readonly #path: string[] = [];

  visit(type: TypeNode, before: unknown, after: unknown): void {
    if (before === after) return;
    const formBefore = formOf(type, before);
    const formAfter = formOf(type, after);
    let wasLeaf: boolean;
    if (after === undefined) wasLeaf = this.#handle(type, formBefore, { before, after });
    else if (before === undefined || before === null || after === null || formBefore === formAfter)
      wasLeaf = this.#handle(type, before === null || before === undefined ? formAfter : formBefore, { before, after });
    else {
      this.#handle(type, formBefore, { before, after });
      wasLeaf = this.#handle(type, formAfter, { before, after });
    }
    if (wasLeaf) return;
    if (before === undefined) this.added.add(this.#path);
    else if (after === undefined) this.removed.add(this.#path);
  }

  /** True where the value was taken as a whole. */
  #handle(
    type: TypeNode,
    form: ReturnType<typeof formOf>,
    { before, after }: { before: unknown; after: unknown },
  ): boolean {
    if (form === 'map' && type.map) return this.#map(type.map, before, after);
    if (form === 'list' && type.list) return this.#list(type.list, before, after);
    this.#leaf(before, after);
    return true;
  }

  #leaf(before: unknown, after: unknown): void {
    if (before === undefined) this.added.add(this.#path);
    else if (after === undefined) this.removed.add(this.#path);
    else if (!sameJson(before, after)) this.modified.add(this.#path);
  }

  #map(map: MapForm, before: unknown, after: unknown): boolean {
    if (map.atomic || (isEmptyMap(before) && isEmptyMap(after))) {
      this.#leaf(before, after);
      return true;
    }
    const left = isObject(before) ? before : {};
    const right = isObject(after) ? after : {};
    for (const key in left) this.#entry(map, key, { before: left[key], after: ownField(right, key) });
    for (const key in right)
      if (ownField(left, key) === undefined) this.#entry(map, key, { before: undefined, after: right[key] });
    return false;
  }

  #entry(map: MapForm, key: string, { before, after }: { before: unknown; after: unknown }): void {
    if (before === after) return;
    this.#path.push(fieldElement(key));
    this.visit(entryType(map, key) ?? untypedDeduced, before, after);
    this.#path.pop();
  }

  #list(list: ListForm, before: unknown, after: unknown): boolean {
    if (list.relationship === 'atomic' || (isEmptyList(before) && isEmptyList(after))) {
      this.#leaf(before, after);
      return true;
    }
    const left = groupItems(list, before);
    const right = groupItems(list, after);
    for (const [element, items] of left) this.#item(list, element, { before: items, after: right.get(element) ?? [] });
    for (const [element, items] of right)
      if (!left.has(element)) this.#item(list, element, { before: [], after: items });
    return false;
  }

  /** Items that share a key are compared as one value; one that loses or gains its twins is removed and added. */
  #item(
    list: ListForm,
    element: string,
    { before, after }: { before: readonly unknown[]; after: readonly unknown[] },
  ): void {
    this.#path.push(element);
    if (before.length <= 1 && after.length <= 1) this.visit(list.element, before[0], after[0]);
    else if (before.length >= 2 && after.length >= 2) {
      if (!sameJson(before, after)) this.modified.add(this.#path);
    } else if (before.length >= 2) {
      if (after.length > 0) this.visit(list.element, undefined, after[0]);
      this.removed.add(this.#path);
    } else {
      if (before.length > 0) this.visit(list.element, before[0], undefined);
      this.added.add(this.#path);
    }
    this.#path.pop();
  }
}

function groupItems(list: ListForm, value: unknown): Map<string, unknown[]> {
  const groups = new Map<string, unknown[]>();
  if (!Array.isArray(value)) return groups;
  for (const item of value) {
    const element = itemElement(list, item);
    const group = groups.get(element);
    if (group) group.push(item);
    else groups.set(element, [item]);
  }
  return groups;
}
