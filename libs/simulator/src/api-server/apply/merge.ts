import { isObject, ownField, setField } from '../object.ts';
import type { JsonObject } from '../request.ts';
import { entryType, formOf, untypedDeduced } from '../schema/type-node.ts';
import type { ListForm, MapForm, TypeNode } from '../schema/type-node.ts';
import { itemElement } from './path-element.ts';

/** Merges an applied configuration into an object. What the configuration does not name is shared with the original. */
export function merge(type: TypeNode, live: unknown, applied: unknown): unknown {
  if (applied === undefined || live === applied) return live;
  if (live === undefined) return applied;
  const form = formOf(type, applied);
  if (form === 'map' && type.map) return mergeMaps(type.map, live, applied);
  if (form === 'list' && type.list) return mergeLists(type.list, live, applied);
  return applied;
}

function mergeMaps(map: MapForm, live: unknown, applied: unknown): unknown {
  const left = isObject(live) ? live : {};
  const right = isObject(applied) ? applied : {};
  if (map.atomic || (Object.keys(left).length === 0 && Object.keys(right).length === 0)) return applied;
  const result: JsonObject = { ...left };
  let changed = false;
  for (const key in right) {
    const before = ownField(left, key);
    const merged = merge(entryType(map, key) ?? untypedDeduced, before, right[key]);
    if (merged !== before) changed = true;
    setField(result, key, merged);
  }
  return changed || !isObject(live) ? result : live;
}

function mergeLists(list: ListForm, live: unknown, applied: unknown): unknown {
  const left: unknown[] = Array.isArray(live) ? live : [];
  const right: unknown[] = Array.isArray(applied) ? applied : [];
  if (list.relationship === 'atomic' || (left.length === 0 && right.length === 0)) return applied;
  return mergeKeyed(list, left, right);
}

/** Applied items keep their order; live items that were not applied keep their place among those they stood with. */
function mergeKeyed(list: ListForm, left: readonly unknown[], right: readonly unknown[]): unknown[] {
  const leftElements = left.map((item) => itemElement(list, item));
  const rightElements = right.map((item) => itemElement(list, item));
  const leftItems = indexItems(leftElements, left);
  const rightItems = indexItems(rightElements, right);
  const shared = rightElements.filter((element) => leftItems.has(element));
  let nextShared = 0;
  const merged = new Set<string>();
  const result: unknown[] = [];
  const take = (element: string, index: number): void => {
    merged.add(element);
    result.push(merge(list.element, leftItems.get(element), rightItems.get(element) ?? right[index]));
  };
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    const leftElement = leftElements[l];
    const rightElement = rightElements[r];
    if (leftElement !== undefined && rightElement !== undefined) {
      if (leftElement === rightElement) {
        take(leftElement, r);
        l += 1;
        r += 1;
        nextShared += 1;
        continue;
      }
      if (rightItems.has(leftElement) && shared[nextShared] !== undefined && shared[nextShared] !== leftElement) {
        l += 1;
        continue;
      }
    }
    if (leftElement !== undefined) {
      if (!rightItems.has(leftElement)) {
        result.push(left[l]);
        l += 1;
        continue;
      }
      if (merged.has(leftElement)) l += 1;
    }
    if (rightElement !== undefined) {
      take(rightElement, r);
      r += 1;
      if (shared[nextShared] === rightElement) nextShared += 1;
    }
  }
  return result;
}

/** Items that share a key with others have none to merge with. */
function indexItems(elements: readonly string[], items: readonly unknown[]): Map<string, unknown> {
  const index = new Map<string, unknown>();
  for (const [position, element] of elements.entries())
    index.set(element, index.has(element) ? undefined : items[position]);
  return index;
}
