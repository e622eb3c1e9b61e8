import { isObject } from '../object.ts';
import { entryType, formOf } from '../schema/type-node.ts';
import type { ListForm, MapForm, TypeNode } from '../schema/type-node.ts';
import { UnkeyedItem, describeElement, fieldElement, itemElement } from './path-element.ts';

/** What keeps a value from being one of a type, as structured-merge-diff words it: `.spec.x: field not declared in schema`. */
export function typeErrors(type: TypeNode, value: unknown, path = ''): readonly string[] {
  const form = formOf(type, value);
  if (value === null || value === undefined) return [];
  if (form === 'map' && type.map) return mapErrors(type.map, value, path);
  if (form === 'list' && type.list) return listErrors(type.list, value, path);
  return scalarErrors(type, value, path);
}

/** A value as Go prints it (`%v`). */
function printed(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printed).join(' ')}]`;
  if (!isObject(value)) return value === null ? '<nil>' : String(value as string | number | boolean);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${printed(value[key])}`).join(' ')}]`;
}

/** A value as Go would have it in its source (`%#v`). */
function goSyntax(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isObject(value)) return value === null ? 'interface {}(nil)' : JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `map[string]interface {}{${keys.map((key) => `${JSON.stringify(key)}:${goSyntax(value[key])}`).join(', ')}}`;
}

/** The name of a value's type in Go. */
function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isObject(value)) return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : 'int64';
}

function mapErrors(map: MapForm, value: unknown, path: string): readonly string[] {
  if (!isObject(value)) return [`${path}: expected map, got &{${printed(value)}}`];
  return Object.entries(value).flatMap(([key, entry]) => {
    const type = entryType(map, key);
    const place = path + describeElement(fieldElement(key));
    return type === undefined ? [`${place}: field not declared in schema`] : typeErrors(type, entry, place);
  });
}

function listErrors(list: ListForm, value: unknown, path: string): readonly string[] {
  if (!Array.isArray(value)) return [`${path}: expected list, got &{${printed(value)}}`];
  if (list.relationship === 'atomic')
    return value.flatMap((item, index) => typeErrors(list.element, item, `${path}[${index}]`));
  const seen = new Set<string>();
  return value.flatMap((item: unknown, index) => {
    try {
      const element = itemElement(list, item);
      const place = path + describeElement(element);
      if (seen.has(element)) return [`${path}: duplicate entries for key ${describeElement(element)}`];
      seen.add(element);
      return typeErrors(list.element, item, place);
    } catch (error) {
      if (error instanceof UnkeyedItem) return [`${path}: element ${index}: ${error.message}`];
      throw error;
    }
  });
}

function scalarErrors(type: TypeNode, value: unknown, path: string): readonly string[] {
  const wrong = (expected: string, got: string): readonly string[] => [`${path}: expected ${expected}, got ${got}`];
  switch (type.scalar) {
    case 'string':
      return typeof value === 'string' ? [] : wrong('string', `&value.valueUnstructured{Value:${goSyntax(value)}}`);
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong('boolean', `&{${printed(value)}}`);
    case 'integer':
    case 'number':
      return typeof value === 'number' ? [] : wrong('numeric (int or float)', goType(value));
    default:
      return [];
  }
}
