import { isObject } from '../object.ts';
import { entryType, formOf } from '../schema/type-node.ts';
import type { TypeNode } from '../schema/type-node.ts';

/** The paths of what a value names that is only replaced as a whole. */
export function atomicParts(type: TypeNode, value: unknown, path = ''): readonly string[] {
  const form = formOf(type, value);
  if (form === 'map' && type.map !== undefined && isObject(value)) {
    const { map } = type;
    return [
      ...(map.atomic ? [path] : []),
      ...Object.entries(value).flatMap(([name, entry]) => {
        const own = map.fields.has(name) ? entryType(map, name) : undefined;
        return own === undefined ? [] : atomicParts(own, entry, `${path}.${name}`);
      }),
    ];
  }
  if (form !== 'list' || type.list === undefined || !Array.isArray(value)) return [];
  const { relationship, element } = type.list;
  return [
    ...(relationship === 'atomic' ? [path] : []),
    ...value.flatMap((item, index) => atomicParts(element, item, `${path}[${index}]`)),
  ];
}
