import { entryType } from '../schema/type-node.ts';
import type { TypeNode } from '../schema/type-node.ts';
import type { Fields } from './fields.ts';

/** The set with each named field that has members below it as a member too: owning `a.b.c` is owning `a`, unless `a` is an entry of a map. */
export function withNamedFields(type: TypeNode | undefined, set: Fields): Fields {
  const result: Record<string, Fields> = {};
  for (const element in set) {
    if (element === '.') continue;
    const node = set[element] as Fields;
    const isField = element.startsWith('f:');
    const name = element.slice(2);
    const childType = isField ? type?.map && entryType(type.map, name) : type?.list?.element;
    const children = withNamedFields(childType, node);
    const names = Object.keys(children);
    if (names.length === 0) {
      result[element] = node;
      continue;
    }
    const member = node['.'] !== undefined || (isField && type?.map?.fields.has(name) === true);
    result[element] = member ? { '.': {}, ...children } : children;
  }
  return result;
}
