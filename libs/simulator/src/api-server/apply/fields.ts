/**
 * A set of fields in the form in which `managedFields` shows it: nested objects whose keys are path elements (`f:spec`, `k:{"name":"a"}`, `v:"x"`). An
 * empty object below the root is a member; `"."` marks a member that has members below it. The root itself is never a member, so an empty root is the
 * empty set. Sets are never changed, and share what they have in common.
 */
export interface Fields {
  readonly [element: string]: Fields;
}

/** The set without members. */
export const noFields: Fields = Object.freeze({});

const leaf: Fields = noFields;

/** Whether a set has no members. */
export function isEmptySet(set: Fields): boolean {
  for (const element in set) if (element !== '') return false;
  return true;
}

const isMember = (node: Fields): boolean => node['.'] !== undefined || isEmptySet(node);

/** A node from its parts; undefined where there is nothing in it. */
function nodeOf(member: boolean, children: Fields): Fields | undefined {
  if (isEmptySet(children)) return member ? leaf : undefined;
  return member ? { '.': leaf, ...children } : children;
}

/** Visits the children of a node or root, without the mark of membership. */
function childrenOf(node: Fields): Fields {
  if (node['.'] === undefined) return node;
  const children: Record<string, Fields> = {};
  for (const element in node) if (element !== '.') children[element] = node[element] as Fields;
  return children;
}

type Combine = (left: Fields | undefined, right: Fields | undefined) => Fields | undefined;

function combineChildren(left: Fields, right: Fields, combine: Combine): Fields {
  const result: Record<string, Fields> = {};
  for (const element in left) {
    const node = combine(left[element], right[element]);
    if (node) result[element] = node;
  }
  for (const element in right) {
    if (left[element] !== undefined) continue;
    const node = combine(undefined, right[element]);
    if (node) result[element] = node;
  }
  return result;
}

const unionNodes: Combine = (left, right) => {
  if (left === undefined || left === right) return right ?? left;
  if (right === undefined) return left;
  return nodeOf(isMember(left) || isMember(right), combineChildren(childrenOf(left), childrenOf(right), unionNodes));
};

const intersectNodes: Combine = (left, right) => {
  if (left === undefined || right === undefined) return undefined;
  if (left === right) return left;
  return nodeOf(
    isMember(left) && isMember(right),
    combineChildren(childrenOf(left), childrenOf(right), intersectNodes),
  );
};

const subtractNodes: Combine = (left, right) => {
  if (left === undefined || right === undefined) return left;
  if (left === right) return undefined;
  return nodeOf(
    isMember(left) && !isMember(right),
    combineChildren(childrenOf(left), childrenOf(right), subtractNodes),
  );
};

const subtractTrees: Combine = (left, right) => {
  if (left === undefined || right === undefined) return left;
  if (isMember(right)) return undefined;
  return nodeOf(isMember(left), combineChildren(childrenOf(left), childrenOf(right), subtractTrees));
};

/** The members of either. */
export function union(left: Fields, right: Fields): Fields {
  if (isEmptySet(left)) return right;
  return isEmptySet(right) ? left : combineChildren(left, right, unionNodes);
}

/** The members of both. */
export function intersection(left: Fields, right: Fields): Fields {
  return isEmptySet(left) || isEmptySet(right) ? noFields : combineChildren(left, right, intersectNodes);
}

/** The members of `left` that are none of `right`'s; what lies below them stays. */
export function difference(left: Fields, right: Fields): Fields {
  return isEmptySet(left) || isEmptySet(right) ? left : combineChildren(left, right, subtractNodes);
}

/** The members of `left` without those of `right` and all that lies below them. */
export function recursiveDifference(left: Fields, right: Fields): Fields {
  return isEmptySet(left) || isEmptySet(right) ? left : combineChildren(left, right, subtractTrees);
}

/** Whether the element is a member of the set or node. */
export function hasMember(set: Fields, element: string): boolean {
  const node = set[element];
  return node !== undefined && isMember(node);
}

/** What lies below an element; the empty set where there is nothing. */
export function below(set: Fields, element: string): Fields {
  const node = set[element];
  return node === undefined ? noFields : childrenOf(node);
}

/** A set under construction. */
export class FieldsBuilder {
  #root: Record<string, unknown> = {};

  /** Adds the field at a path. The whole object is never a member. */
  add(path: readonly string[]): void {
    if (path.length === 0) return;
    let node = this.#root;
    for (const element of path) {
      let next = node[element] as Record<string, unknown> | undefined;
      if (next === undefined) {
        next = {};
        node[element] = next;
      }
      node = next;
    }
    node['.'] = leaf;
  }

  /** The set. The builder is not to be used afterwards. */
  build(): Fields {
    return settle(this.#root);
  }
}

/** Members without anything below them lose their mark. */
function settle(node: Record<string, unknown>): Fields {
  for (const element in node) {
    if (element === '.') continue;
    const child = node[element] as Record<string, unknown>;
    const keys = Object.keys(child);
    node[element] = keys.length === 1 && keys[0] === '.' ? leaf : settle(child);
  }
  return node as unknown as Fields;
}
