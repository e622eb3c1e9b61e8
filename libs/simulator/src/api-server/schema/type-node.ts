/**
 * What a value of a kind's field is, as the API server sees it: how it merges (structured-merge-diff's schema), which fields are known, what is filled
 * in. A node may allow several forms (an int-or-string, anything at all).
 */
export interface TypeNode {
  readonly scalar?: ScalarForm;
  readonly list?: ListForm;
  readonly map?: MapForm;
}

/** A value without parts. */
export type ScalarForm = 'string' | 'integer' | 'number' | 'boolean' | 'quantity' | 'time' | 'micro-time' | 'untyped';

/** A list, and how two of them merge. */
export interface ListForm {
  readonly element: TypeNode;
  /** Replaced as one value; or merged as a set, or by keys. */
  readonly relationship: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
  /** The key of strategic merge patches, which differs from `keys` for ports, where there is one. */
  readonly patchKey?: string;
  /** Whether a strategic merge patch merges the list. */
  readonly patchMerges: boolean;
}

/** An object, or a map with string keys. */
export interface MapForm {
  readonly fields: ReadonlyMap<string, TypeNode>;
  /** What other keys hold. Absent: there are no others. */
  readonly element?: TypeNode;
  readonly atomic: boolean;
  /** Defaults of single fields, as OpenAPI gives them. */
  readonly defaults: ReadonlyMap<string, unknown>;
  /** The name of the definition, such as `io.k8s.api.core.v1.Container`: what defaults go by. */
  readonly definition?: string;
  /** How Go writes the fields. Absent for custom kinds, whose JSON is kept as it is. */
  readonly go?: GoShape;
  /** A union in which a strategic merge patch keeps only the keys it names. */
  readonly retainKeys: ReadonlySet<string>;
}

/** What Go's struct tags make of zero values. */
export interface GoShape {
  /** Pointers: a zero value that was given is kept. */
  readonly keep: ReadonlySet<string>;
  /** Written whether given or not, with this value. */
  readonly always: ReadonlyMap<string, 'null' | 'string' | 'number' | 'boolean' | 'object'>;
}

/** Anything, kept whole. */
export const untypedAtomic: TypeNode = anything('atomic');

/** Anything, objects merged field by field and lists kept whole. */
export const untypedDeduced: TypeNode = anything('separable');

function anything(relationship: 'atomic' | 'separable'): TypeNode {
  const node: { -readonly [Key in keyof TypeNode]: TypeNode[Key] } = { scalar: 'untyped' };
  const nothing = {
    fields: new Map<string, TypeNode>(),
    defaults: new Map<string, unknown>(),
    retainKeys: new Set<string>(),
  };
  node.list = {
    element: relationship === 'atomic' ? node : untypedAtomic,
    relationship: 'atomic',
    keys: [],
    patchMerges: false,
  };
  node.map = { ...nothing, element: node, atomic: relationship === 'atomic' };
  return node;
}

/** Which of a node's forms a value has. A value that fits none, null or an absent one is taken as the node's first form. */
export function formOf(node: TypeNode, value: unknown): 'map' | 'scalar' | 'list' | undefined {
  if (value !== null && value !== undefined) {
    if (Array.isArray(value)) {
      if (node.list) return 'list';
    } else if (typeof value === 'object') {
      if (node.map) return 'map';
    } else if (node.scalar) return 'scalar';
  }
  if (node.map) return 'map';
  if (node.scalar) return 'scalar';
  return node.list ? 'list' : undefined;
}

/** The type of a map's entry; undefined where the key is not known. */
export function entryType(map: MapForm, key: string): TypeNode | undefined {
  return map.fields.get(key) ?? map.element;
}
