import { keepFields, metadataOnly, withoutManagedFields } from '@ordinal/client';
import type { KubernetesObject, KubernetesObjectInput, Projection, ResourceDescriptor } from '@ordinal/client';

/** What a cache keeps of each object: all of it but managedFields, the metadata alone, or the metadata and the fields at some paths. */
export type Kept = (
  | { readonly keep: 'whole' }
  | { readonly keep: 'metadata' }
  | { readonly keep: 'fields'; readonly paths: readonly string[] }
) & {
  /** The annotations that are kept. Absent: all, but for the copy of the whole object that `kubectl apply` leaves. */
  readonly annotations?: readonly string[];
};

/** A descriptor whose caches keep less than the whole object. Its type says so, so that no code reads a field that is never there. */
export type ProjectedDescriptor<Read extends KubernetesObject> = ResourceDescriptor<Read, never> & {
  readonly fields: readonly string[];
};

/** A descriptor whose caches keep only some annotations. */
export type AnnotationsDescriptor<
  Read extends KubernetesObject,
  Write extends KubernetesObjectInput,
> = ResourceDescriptor<Read, Write> & { readonly annotations: readonly string[] };

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

/**
 * The kind with no annotations but these. Other tools keep large things in annotations; a cache of tens of thousands of objects need not.
 * `withAnnotations(metadataOnly(pods), [])` is the least that can be kept.
 */
export function withAnnotations<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
  descriptor: ResourceDescriptor<Read, Write>,
  annotations: readonly string[],
): AnnotationsDescriptor<Read, Write> {
  return { ...descriptor, annotations };
}

/** What a descriptor asks a cache to keep. */
export function keptOf(descriptor: ResourceDescriptor): Kept {
  // These properties are there exactly on what `withFields` and `withAnnotations` return.
  const { fields, annotations } = descriptor as Partial<
    ProjectedDescriptor<KubernetesObject> & AnnotationsDescriptor<KubernetesObject, KubernetesObjectInput>
  >;
  const only = annotations === undefined ? {} : { annotations };
  if (descriptor.representation === 'metadata') return { keep: 'metadata', ...only };
  return fields === undefined ? { keep: 'whole', ...only } : { keep: 'fields', paths: fields, ...only };
}

/** What a cache has to keep that serves both. */
export function union(left: Kept, right: Kept): Kept {
  const both =
    left.annotations === undefined || right.annotations === undefined
      ? {}
      : { annotations: merged(left.annotations, right.annotations) };
  if (left.keep === 'whole' || right.keep === 'whole') return { keep: 'whole', ...both };
  if (left.keep === 'fields' && right.keep === 'fields') {
    return { keep: 'fields', paths: merged(left.paths, right.paths), ...both };
  }
  return left.keep === 'fields' ? { keep: 'fields', paths: left.paths, ...both } : { ...right, ...both };
}

/** How the client has to read a kind, for a cache that keeps this. */
export function reading(
  descriptor: ResourceDescriptor,
  kept: Kept,
): { readonly descriptor: ResourceDescriptor; readonly project: Projection } {
  const read = kept.keep === 'metadata' ? metadataOnly(descriptor) : whole(descriptor);
  const project = kept.keep === 'fields' ? keepFields(kept.paths) : withoutManagedFields;
  const { annotations } = kept;
  return { descriptor: read, project: (object) => thinned(project(object), annotations) };
}

/** What `kubectl apply` leaves on an object: a copy of it, which only kubectl reads. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

function thinned(object: KubernetesObject, kept: readonly string[] | undefined): KubernetesObject {
  const { annotations, ...metadata } = object.metadata;
  if (annotations === undefined || (kept === undefined && !(lastApplied in annotations))) return object;
  const names = kept ?? Object.keys(annotations).filter((name) => name !== lastApplied);
  const left = Object.fromEntries(
    names.flatMap((name) => (name in annotations ? [[name, annotations[name] ?? '']] : [])),
  );
  return { ...object, metadata: Object.keys(left).length === 0 ? metadata : { ...metadata, annotations: left } };
}

function merged(left: readonly string[], right: readonly string[]): readonly string[] {
  return [...new Set([...left, ...right])].sort();
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
