import { keepFields, metadataOnly, withoutManagedFields } from '@ordinal/client';
import type { KubernetesObject, KubernetesObjectInput, Projection, ResourceDescriptor } from '@ordinal/client';

/** What a cache keeps of each object: all of it but managedFields, the metadata alone, or the metadata and the fields at some paths. */
export type Kept =
  | { readonly keep: 'whole' }
  | { readonly keep: 'metadata' }
  | { readonly keep: 'fields'; readonly paths: readonly string[] };

/** A descriptor whose caches keep less than the whole object. Its type says so, so that nobody reads a field that is never there. */
export type ProjectedDescriptor<Read extends KubernetesObject> = ResourceDescriptor<Read, never> & {
  readonly fields: readonly string[];
};

/** A dotted path into an object's type, two levels deep at most: `spec`, `spec.replicas`. */
export type FieldPath<T> = {
  [K in keyof T & string]: K extends 'apiVersion' | 'kind' | 'metadata'
    ? never
    : | K
      | (NonNullable<T[K]> extends readonly unknown[] | string | number | boolean
          ? never
          : `${K}.${keyof NonNullable<T[K]> & string}`);
}[keyof T & string];

/** What is left of a type when only some paths are kept. */
export type Projected<T extends KubernetesObject, Path extends string> = Pick<T, 'apiVersion' | 'kind' | 'metadata'> & {
  readonly [
    K in keyof T & string as K extends Path ? K : Extract<Path, `${K}.${string}`> extends never ? never : K
  ]: K extends Path
    ? T[K]
    : Pick<NonNullable<T[K]>, SecondLevel<K, Path> & keyof NonNullable<T[K]>> | Extract<T[K], undefined>;
};

type SecondLevel<K extends string, Path extends string> = Path extends `${K}.${infer Inner}` ? Inner : never;

/**
 * The kind with its metadata and the fields at these paths: `withFields(pods, ['spec.nodeName', 'status.phase'])`. The type of what is read from
 * the cache has these fields and no others. It is used like the kind itself in `owns`, `watches`, `reads` and `cache.get`.
 */
export function withFields<
  Read extends KubernetesObject,
  Write extends KubernetesObjectInput,
  const Path extends FieldPath<Read>,
>(descriptor: ResourceDescriptor<Read, Write>, paths: readonly Path[]): ProjectedDescriptor<Projected<Read, Path>> {
  return { ...untyped(descriptor), fields: paths };
}

/** What a descriptor asks a cache to keep. */
export function keptOf(descriptor: ResourceDescriptor): Kept {
  if (descriptor.representation === 'metadata') return { keep: 'metadata' };
  // The property is there exactly on what `withFields` returns.
  const { fields } = descriptor as Partial<ProjectedDescriptor<KubernetesObject>>;
  return fields === undefined ? { keep: 'whole' } : { keep: 'fields', paths: fields };
}

/** What a cache has to keep that serves both. */
export function union(left: Kept, right: Kept): Kept {
  if (left.keep === 'whole' || right.keep === 'whole') return { keep: 'whole' };
  if (left.keep === 'metadata') return right;
  if (right.keep === 'metadata') return left;
  return { keep: 'fields', paths: [...new Set([...left.paths, ...right.paths])].sort() };
}

/** How the client has to read a kind, for a cache that keeps this. */
export function reading(
  descriptor: ResourceDescriptor,
  kept: Kept,
): { readonly descriptor: ResourceDescriptor; readonly project: Projection } {
  if (kept.keep === 'metadata') return { descriptor: metadataOnly(descriptor), project: withoutManagedFields };
  return {
    descriptor: whole(descriptor),
    project: kept.keep === 'whole' ? withoutManagedFields : keepFields(kept.paths),
  };
}

/** The data of a descriptor without the types that it carries: a projection has others. */
function untyped(descriptor: ResourceDescriptor): Omit<ResourceDescriptor, 'types'> {
  const data: Writable<ResourceDescriptor> = { ...descriptor };
  delete data.types;
  return data;
}

function whole(descriptor: ResourceDescriptor): ResourceDescriptor {
  const data: Writable<ResourceDescriptor> = { ...descriptor };
  delete data.representation;
  return data;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
