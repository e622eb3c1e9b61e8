import { compileNode } from '../../internal/node.ts';
import type { Node } from '../../internal/node.ts';
import { anything, simple } from '../compile/types.ts';
import type { StaticType } from '../compile/types.ts';
import { escapeName } from './escape.ts';

/** A property of an object: its name in JSON, and its shape. */
interface Field {
  readonly name: string;
  readonly shape: Shape;
}

/** How values of a schema look to rules. */
export interface Shape {
  readonly node: Node;
  /** Undefined where rules cannot see the values: data of which the schema says nothing. */
  readonly type: StaticType | undefined;
  /** Properties by the names that rules use. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly items: Shape | undefined;
  readonly values: Shape | undefined;
}

const noFields: ReadonlyMap<string, Field> = new Map();
const text = compileNode({ type: 'string' });
const metadata = compileNode({
  type: 'object',
  properties: { name: { type: 'string' }, generateName: { type: 'string' } },
});

/** The shape of a schema; a resource's root also has apiVersion, kind and metadata with name and generateName. */
export function shapeOf(node: Node, isRoot: boolean): Shape {
  return new LazyShape(node, isRoot);
}

/** Parts are made when they are asked for: rules look at little of a large schema. */
class LazyShape implements Shape {
  readonly node: Node;
  private readonly isRoot: boolean;
  private madeFields: ReadonlyMap<string, Field> | undefined;
  private madeItems: Shape | undefined;
  private madeValues: Shape | undefined;

  constructor(node: Node, isRoot: boolean) {
    this.node = node;
    this.isRoot = isRoot;
  }

  get type(): StaticType | undefined {
    return typeOf(this);
  }

  get fields(): ReadonlyMap<string, Field> {
    const exposed = this.node.type === 'object' && this.node.additionalProperties === undefined;
    return (this.madeFields ??= exposed ? fieldsOf(this.node, this.isRoot) : noFields);
  }

  get items(): Shape | undefined {
    return (this.madeItems ??= below(this.node.items));
  }

  get values(): Shape | undefined {
    return (this.madeValues ??= below(this.node.additionalProperties));
  }
}

function below(node: Node | undefined): Shape | undefined {
  return node === undefined ? undefined : shapeOf(node, node.embeddedResource);
}

function fieldsOf(node: Node, isRoot: boolean): ReadonlyMap<string, Field> {
  const properties = new Map(node.properties);
  if (isRoot)
    for (const [name, implied] of [
      ['apiVersion', text],
      ['kind', text],
      ['metadata', metadata],
    ] as const)
      properties.set(name, implied);
  const fields = new Map<string, Field>();
  for (const [name, property] of properties) {
    // A property whose name has no escape is compared, but cannot be named.
    fields.set(escapeName(name) ?? `\0${name}`, { name, shape: shapeOf(property, property.embeddedResource) });
  }
  return fields;
}

const formats: Readonly<Record<string, string>> = {
  byte: 'bytes',
  duration: 'google.protobuf.Duration',
  date: 'google.protobuf.Timestamp',
  'date-time': 'google.protobuf.Timestamp',
};
const scalars: Readonly<Record<string, string>> = { boolean: 'bool', number: 'double', integer: 'int' };

function typeOf(parts: Pick<Shape, 'node' | 'fields' | 'items' | 'values'>): StaticType | undefined {
  const { node } = parts;
  if (node.intOrString) return anything;
  switch (node.type) {
    case 'array':
      return parts.items?.type === undefined ? undefined : { kind: 'list', item: parts.items.type };
    case 'object': {
      if (parts.values !== undefined)
        return parts.values.type === undefined
          ? undefined
          : { kind: 'map', key: simple('string'), value: parts.values.type };
      return { kind: 'object', field: (name) => parts.fields.get(name)?.shape.type };
    }
    case 'string':
      return simple(formats[node.format] ?? 'string');
    default: {
      const name = scalars[node.type];
      return name === undefined ? undefined : simple(name);
    }
  }
}
