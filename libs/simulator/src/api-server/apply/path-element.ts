import { isObject } from '../object.ts';
import type { ListForm } from '../schema/type-node.ts';

/** The path element of a field. */
export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** A list item that can't be distinguished from others, and why. */
export class UnkeyedItem extends Error {
  override readonly name = 'UnkeyedItem';
}

/** The path element of an item of a set or keyed list. Throws `UnkeyedItem`. */
export function itemElement(list: ListForm, item: unknown): string {
  if (list.relationship === 'set') {
    if (typeof item === 'object' && item !== null)
      throw new UnkeyedItem(
        `associative list without keys has an element that's a ${Array.isArray(item) ? 'list' : 'map'} type`,
      );
    return `v:${JSON.stringify(item)}`;
  }
  if (item === null) throw new UnkeyedItem('associative list with keys may not have a null element');
  if (!isObject(item)) throw new UnkeyedItem('associative list with keys may not have non-map elements');
  const parts: string[] = [];
  for (const key of [...list.keys].sort()) {
    const value = item[key] ?? list.element.map?.defaults.get(key);
    if (value !== undefined && value !== null) parts.push(`${JSON.stringify(key)}:${JSON.stringify(value)}`);
  }
  if (parts.length === 0)
    throw new UnkeyedItem(
      `associative list with keys has an element that omits all key fields [${list.keys.map((key) => JSON.stringify(key)).join(' ')}] (and doesn't have default values for any key fields)`,
    );
  return `k:{${parts.join(',')}}`;
}

/** An element as messages show it: `.name`, `[name="a"]`, `[="x"]`. */
export function describeElement(element: string): string {
  const text = element.slice(2);
  if (element.startsWith('f:')) return `.${text}`;
  if (element.startsWith('v:')) return `[=${text}]`;
  // Keys were written by itemElement as a JSON object.
  const keys = JSON.parse(text) as Record<string, unknown>;
  const parts = Object.entries(keys).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `[${parts.join(',')}]`;
}

/** A path as messages show it. */
export function describePath(path: readonly string[]): string {
  return path.map(describeElement).join('');
}

const rank = (element: string): number => 'fkvi'.indexOf(element.charAt(0));

/** The order of path elements in messages: fields, then keyed items, then values. */
export function compareElements(left: string, right: string): number {
  const byKind = rank(left) - rank(right);
  if (byKind !== 0) return byKind;
  return left < right ? -1 : left > right ? 1 : 0;
}
