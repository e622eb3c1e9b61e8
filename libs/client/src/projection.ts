import type { Projection } from './client.ts';
import type { KubernetesObject } from './object.ts';

/** Drops `metadata.managedFields`, often a third of an object, which only the server needs. */
export const withoutManagedFields: Projection = (object) => {
  const { managedFields, ...metadata } = object.metadata;
  return managedFields === undefined ? object : { ...object, metadata };
};

type Tree = Map<string, Tree>;

/**
 * Keeps the fields at these paths (`spec.replicas`, `status.conditions`) with all that is below them, and the identity and metadata, without
 * managedFields, of each object. A path goes through the entries of an array: `spec.containers.image` keeps the image of each container. Names
 * with a dot in them can't be said.
 */
export function keepFields(paths: readonly string[]): Projection {
  const root: Tree = new Map();
  for (const path of ['apiVersion', 'kind', 'metadata', ...paths]) plant(root, path.split('.'));
  return (object) => withoutManagedFields(pick(object, root) as KubernetesObject); // Identity and metadata are always kept.
}

function plant(tree: Tree, segments: readonly string[]): void {
  let place = tree;
  for (const [index, segment] of segments.entries()) {
    const known = place.get(segment);
    // An empty tree keeps all below it: a longer path under it has nothing to add.
    if (known !== undefined && known.size === 0) return;
    const next: Tree = known ?? new Map<string, Tree>();
    if (index === segments.length - 1) next.clear();
    place.set(segment, next);
    place = next;
  }
}

function pick(value: unknown, tree: Tree): unknown {
  if (tree.size === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => pick(entry, tree));
  const kept: Record<string, unknown> = {};
  for (const [name, below] of tree) {
    const field = (value as Readonly<Record<string, unknown>>)[name]; // JSON: an object has fields of any kind.
    if (field !== undefined) kept[name] = pick(field, below);
  }
  return kept;
}
