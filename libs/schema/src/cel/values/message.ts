import { EntryMap, List, MapValue } from './value.ts';
import type { Value } from './value.ts';

/** What an expression such as `Object.spec{…}` makes. */
export class Message extends EntryMap {
  /** The name of its type. */
  readonly type: string;

  /** A message without fields. */
  constructor(type: string) {
    super();
    this.type = type;
  }
}

const inside = (map: MapValue): readonly [string, Value][] =>
  map.keys().flatMap((key) => {
    const value = map.get(key);
    return value === undefined ? [] : [[String(key), value] as [string, Value]];
  });

/** What is wrong with the names of the types inside an object that is made: each is that of the object around it with the field's name. */
export function nameMistakes(value: Value, path?: string): readonly string[] {
  if (value instanceof List) return value.items().flatMap((item) => nameMistakes(item, path));
  if (value instanceof Message) {
    const { type } = value;
    if (type === 'JSONPatch') return nameMistakes(value.get('value') ?? null);
    const expected = path ?? type;
    return [
      ...(type === expected
        ? []
        : [
            `unexpected type name "${type}", expected "${expected}", which matches field name path from root Object type`,
          ]),
      ...inside(value).flatMap(([name, field]) => nameMistakes(field, `${expected}.${name}`)),
    ];
  }
  return value instanceof MapValue ? inside(value).flatMap(([, entry]) => nameMistakes(entry, path)) : [];
}
